/* bench_record.h - the record of any room against bare SQLite. */
#ifndef CV_BENCH_RECORD_H
#define CV_BENCH_RECORD_H

void bench_record(void);

#endif
