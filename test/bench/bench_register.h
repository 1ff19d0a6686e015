/* bench_register.h - registering a full round through the operation, against bare SQLite with the same rows. */
#ifndef CV_BENCH_REGISTER_H
#define CV_BENCH_REGISTER_H

/* Prints ms per round from JSON text to answer, ms for the bare rows, and the ratio. */
void bench_register(void);

#endif
