/* bench_context.h - preparing a round of a long dialogue, against reading the same rows with bare SQLite. */
#ifndef CV_BENCH_CONTEXT_H
#define CV_BENCH_CONTEXT_H

/* Prints milliseconds for round-context, and for round-prompts without and with files, each as a ratio to bare reading.
 */
void bench_context(void);

#endif
