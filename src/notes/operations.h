/* operations.h - the handlers of the notes room and the forms of their answers: one pair per row of ops.c. */
#ifndef CV_NOTES_OPERATIONS_H
#define CV_NOTES_OPERATIONS_H

#include "kit/call.h"
#include "kit/shape.h"

#define CV_NOTES_OPERATION(name)                                                                                       \
    bool cv_notes_op_##name(cv_call *call);                                                                            \
    extern const cv_shape cv_notes_##name##_shape[];

CV_NOTES_OPERATION(scan)
CV_NOTES_OPERATION(log)
CV_NOTES_OPERATION(list)
CV_NOTES_OPERATION(show)
bool cv_notes_op_header(cv_call *call); /* these three answer alike */
bool cv_notes_op_add(cv_call *call);
bool cv_notes_op_create(cv_call *call);
extern const cv_shape cv_notes_edit_shape[];
CV_NOTES_OPERATION(repair)
CV_NOTES_OPERATION(history)
CV_NOTES_OPERATION(stale)
CV_NOTES_OPERATION(threads)
CV_NOTES_OPERATION(lint)
CV_NOTES_OPERATION(extract)
CV_NOTES_OPERATION(export)
CV_NOTES_OPERATION(atoms)
CV_NOTES_OPERATION(install_hook)

#endif
