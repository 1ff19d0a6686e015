/* bench_notes.h - see bench_notes.c. */
#ifndef CV_BENCH_NOTES_H
#define CV_BENCH_NOTES_H

void bench_notes(void);

#endif
