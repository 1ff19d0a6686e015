/* bench_import.h - importing dialogue files, against parsing the same files. */
#ifndef CV_BENCH_IMPORT_H
#define CV_BENCH_IMPORT_H

/* Prints MB/s of markdown that is imported into a record on disk, and how many times as long that takes as parsing. */
void bench_import(void);

#endif
