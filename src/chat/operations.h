/* operations.h - what is done in the chat room: one function per operation, and the forms of their answers.
 *
 * The rows of ops.c name these functions. Each finds its input checked against its schema (kit/call.h).
 */
#ifndef CV_CHAT_OPERATIONS_H
#define CV_CHAT_OPERATIONS_H

#include "kit/call.h"
#include "kit/notice.h"

bool cv_chat_open(cv_call *call);
bool cv_chat_send(cv_call *call);
bool cv_chat_read(cv_call *call);
bool cv_chat_peek(cv_call *call);
bool cv_chat_list(cv_call *call);
bool cv_chat_show(cv_call *call);
bool cv_chat_join(cv_call *call);
bool cv_chat_leave(cv_call *call);
bool cv_chat_close(cv_call *call);
bool cv_chat_check(cv_call *call);
bool cv_chat_gate(cv_call *call);
bool cv_chat_unlock(cv_call *call);
bool cv_chat_watch(cv_call *call);
bool cv_chat_import(cv_call *call);
bool cv_chat_export(cv_call *call);

extern const cv_shape cv_chat_open_shape[], cv_chat_send_shape[], cv_chat_read_shape[], cv_chat_peek_shape[],
    cv_chat_list_shape[], cv_chat_show_shape[], cv_chat_person_shape[], cv_chat_close_shape[], cv_chat_check_shape[],
    cv_chat_gate_shape[], cv_chat_unlock_shape[], cv_chat_watch_shape[], cv_chat_import_shape[], cv_chat_export_shape[];

#endif
