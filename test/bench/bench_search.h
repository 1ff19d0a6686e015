/* bench_search.h - what searching costs, and that writing costs nothing more. */
#ifndef CV_BENCH_SEARCH_H
#define CV_BENCH_SEARCH_H

void bench_search(void);

#endif
