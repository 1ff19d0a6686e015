/* heap.c - memory for what lives neither as long as a request nor as long as the program; see heap.h. */
#include "base/heap.h"

#include <stdlib.h>

#include "base/arena.h"

void *cv_heap_alloc(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        cv_out_of_memory(size);
    return memory;
}

char *cv_heap_copy(cv_str text)
{
    char *copy = cv_heap_alloc(text.n + 1);
    if (text.n)
        memcpy(copy, text.p, text.n);
    return copy;
}

void cv_heap_free(void *memory)
{
    free(memory);
}
