/* library.h - libpq, which is loaded when the first connection is made.
 *
 * It brings libraries of its own for TLS, Kerberos and LDAP, and they take longer to load than all else that comes
 * before the first answer: who keeps the record in a file does not wait for them. Its functions are called by their
 * names, which stand for the ones that were found in it.
 */
#ifndef CV_RECORD_POSTGRES_LIBRARY_H
#define CV_RECORD_POSTGRES_LIBRARY_H

#include <libpq-fe.h>

#include "base/err.h"

#define CV_POSTGRES_LIBRARY(X)                                                                                         \
    X(backendPID)                                                                                                      \
    X(clear)                                                                                                           \
    X(cmdStatus)                                                                                                       \
    X(cmdTuples)                                                                                                       \
    X(connectPoll)                                                                                                     \
    X(connectStartParams)                                                                                              \
    X(connectionNeedsPassword)                                                                                         \
    X(conninfo)                                                                                                        \
    X(conninfoFree)                                                                                                    \
    X(conninfoParse)                                                                                                   \
    X(consumeInput)                                                                                                    \
    X(enterPipelineMode)                                                                                               \
    X(errorMessage)                                                                                                    \
    X(finish)                                                                                                          \
    X(flush)                                                                                                           \
    X(freemem)                                                                                                         \
    X(getResult)                                                                                                       \
    X(getisnull)                                                                                                       \
    X(getlength)                                                                                                       \
    X(getvalue)                                                                                                        \
    X(host)                                                                                                            \
    X(isBusy)                                                                                                          \
    X(nfields)                                                                                                         \
    X(ntuples)                                                                                                         \
    X(parameterStatus)                                                                                                 \
    X(pipelineSync)                                                                                                    \
    X(port)                                                                                                            \
    X(resultErrorField)                                                                                                \
    X(resultErrorMessage)                                                                                              \
    X(resultStatus)                                                                                                    \
    X(sendQueryParams)                                                                                                 \
    X(serverVersion)                                                                                                   \
    X(setErrorVerbosity)                                                                                               \
    X(setNoticeReceiver)                                                                                               \
    X(setSingleRowMode)                                                                                                \
    X(setnonblocking)                                                                                                  \
    X(socket)                                                                                                          \
    X(status)                                                                                                          \
    X(transactionStatus)

typedef struct {
#define CV_FUNCTION(name) __typeof__(PQ##name) *(name);
    CV_POSTGRES_LIBRARY(CV_FUNCTION)
#undef CV_FUNCTION
} cv_postgres_functions;

/* All NULL before it is loaded. */
extern cv_postgres_functions cv_postgres_library;

/* Any thread, any number of times. */
bool cv_postgres_library_load(cv_err *err);

#define PQbackendPID cv_postgres_library.backendPID
#define PQclear cv_postgres_library.clear
#define PQcmdStatus cv_postgres_library.cmdStatus
#define PQcmdTuples cv_postgres_library.cmdTuples
#define PQconnectPoll cv_postgres_library.connectPoll
#define PQconnectStartParams cv_postgres_library.connectStartParams
#define PQconnectionNeedsPassword cv_postgres_library.connectionNeedsPassword
#define PQconninfo cv_postgres_library.conninfo
#define PQconninfoFree cv_postgres_library.conninfoFree
#define PQconninfoParse cv_postgres_library.conninfoParse
#define PQconsumeInput cv_postgres_library.consumeInput
#define PQenterPipelineMode cv_postgres_library.enterPipelineMode
#define PQerrorMessage cv_postgres_library.errorMessage
#define PQfinish cv_postgres_library.finish
#define PQflush cv_postgres_library.flush
#define PQfreemem cv_postgres_library.freemem
#define PQgetResult cv_postgres_library.getResult
#define PQgetisnull cv_postgres_library.getisnull
#define PQgetlength cv_postgres_library.getlength
#define PQgetvalue cv_postgres_library.getvalue
#define PQhost cv_postgres_library.host
#define PQisBusy cv_postgres_library.isBusy
#define PQnfields cv_postgres_library.nfields
#define PQntuples cv_postgres_library.ntuples
#define PQparameterStatus cv_postgres_library.parameterStatus
#define PQpipelineSync cv_postgres_library.pipelineSync
#define PQport cv_postgres_library.port
#define PQresultErrorField cv_postgres_library.resultErrorField
#define PQresultErrorMessage cv_postgres_library.resultErrorMessage
#define PQresultStatus cv_postgres_library.resultStatus
#define PQsendQueryParams cv_postgres_library.sendQueryParams
#define PQserverVersion cv_postgres_library.serverVersion
#define PQsetErrorVerbosity cv_postgres_library.setErrorVerbosity
#define PQsetNoticeReceiver cv_postgres_library.setNoticeReceiver
#define PQsetSingleRowMode cv_postgres_library.setSingleRowMode
#define PQsetnonblocking cv_postgres_library.setnonblocking
#define PQsocket cv_postgres_library.socket
#define PQstatus cv_postgres_library.status
#define PQtransactionStatus cv_postgres_library.transactionStatus

#endif
