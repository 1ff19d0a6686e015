/* bench_store.h - writing and reading the record, against bare SQLite with the same rows. */
#ifndef CV_BENCH_STORE_H
#define CV_BENCH_STORE_H

/* Prints ms per commit of a full round, rows/s of a snapshot, and both as ratios to bare SQLite. */
void bench_store(void);

#endif
