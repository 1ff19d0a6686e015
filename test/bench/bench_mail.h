/* bench_mail.h - mail: sends against the bare floor, by one and by eight processes; a send until somebody wakes. */
#ifndef CV_BENCH_MAIL_H
#define CV_BENCH_MAIL_H

void bench_mail(void);

#endif
