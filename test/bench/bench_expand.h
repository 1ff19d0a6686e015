/* bench_expand.h - what one citation costs, in short and in long dialogues. */
#ifndef CV_BENCH_EXPAND_H
#define CV_BENCH_EXPAND_H

void bench_expand(void);

#endif
