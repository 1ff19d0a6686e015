/* bench_views.h - what looking at a dialogue costs, in short and in long ones. */
#ifndef CV_BENCH_VIEWS_H
#define CV_BENCH_VIEWS_H

void bench_views(void);

#endif
