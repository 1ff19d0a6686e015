/* heap.h - memory for the few things that live neither as long as a request nor as long as the program: connections,
 * sessions, streams. Everything else belongs in an arena.
 */
#ifndef CV_BASE_HEAP_H
#define CV_BASE_HEAP_H

#include "base/str.h"

/* Zeroed; running out of memory ends the process with one line. */
void *cv_heap_alloc(size_t size);
char *cv_heap_copy(cv_str text); /* with a terminator */
void cv_heap_free(void *memory); /* NULL is fine */

#define CV_HEAP_NEW(type) ((type *)cv_heap_alloc(sizeof(type)))

#endif
