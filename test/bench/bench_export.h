/* bench_export.h - exporting the largest dialogue there can be, against reading the same rows with bare SQLite. */
#ifndef CV_BENCH_EXPORT_H
#define CV_BENCH_EXPORT_H

/* Prints seconds for both, the ratio (promised: at least 0.6), and the peak memory of a process that only exports
 * (promised: at most 12 MB). */
void bench_export(void);

#endif
