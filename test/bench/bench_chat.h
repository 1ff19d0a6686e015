/* bench_chat.h - a locked send into a chat file against cp, fsync and rename of the same file. */
#ifndef CV_BENCH_CHAT_H
#define CV_BENCH_CHAT_H

/* Prints ms per send, ms per copy, and the ratio; and what finding new messages takes in a chat of 100,000. */
void bench_chat(void);

#endif
