/* bench_text.h - parsing dialogues, against a bare walk over the lines and against md4c. */
#ifndef CV_BENCH_TEXT_H
#define CV_BENCH_TEXT_H

/* Prints GB/s for the walk, md4c and the full parse, the ratios, and what parsing takes from the arena. */
void bench_text(void);

#endif
