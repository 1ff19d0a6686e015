/* bench_json.h - reading JSON, against cJSON. */
#ifndef CV_BENCH_JSON_H
#define CV_BENCH_JSON_H

/* Prints one block: MB/s for both, the ratio, and what one reading takes from the arena. */
void bench_json(void);

#endif
