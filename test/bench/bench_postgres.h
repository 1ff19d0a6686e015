/* bench_postgres.h - the record on PostgreSQL against the same record in SQLite. */
#ifndef CV_BENCH_POSTGRES_H
#define CV_BENCH_POSTGRES_H

/* Prints ms for a full round, small writes and readings with their round trips, near and far, and writes per second of
 * eight writers. */
void bench_postgres(void);

#endif
