#ifndef CV_BENCH_WEB_H
#define CV_BENCH_WEB_H

void bench_web(void);

#endif
