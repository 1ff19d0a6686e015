/* bench_run.h - calling agents, against xargs; memory with many endpoints. */
#ifndef CV_BENCH_RUN_H
#define CV_BENCH_RUN_H

/* Prints one block: milliseconds of a call beside those of the bare command, and the most memory of 100 streams. */
void bench_run(void);

#endif
