/*
 * clock: the times this project needs, in integers; all that waits; and the
 * random numbers that spread waits.
 *
 * Monotonic milliseconds for timers (CLOCK_BOOTTIME: suspended time counts, as
 * it does for the rest of the cluster), Unix microseconds for people and
 * objects. Always UTC.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct epoll_event;

uint64_t clock_ms(void);     /* since boot */
int64_t clock_boot_us(void); /* since boot, in microseconds */
uint64_t clock_boot_ns(void);
int64_t clock_real_us(void); /* since 1970 */

/* epoll_wait until the clock is at until_ms, or a little earlier. Suspended
 * time counts in a wait of CLOCK_LONG_MS and more. */
#define CLOCK_NEVER UINT64_MAX
enum { CLOCK_LONG_MS = 1000 };
int clock_wait(
    int epoll_fd, struct epoll_event *events, int max, uint64_t until_ms);
/* Waits for events (POLLIN ...) of fd, -1: none. False: the clock is at
 * until_ms; suspended time counts, too. Ends early after a signal. */
bool clock_wait_fd(int fd, short events, uint64_t until_ms);
/* A random number that keeps clients from acting at the same time; nothing else
 * may depend on it. */
uint64_t clock_jitter(void);

enum { CLOCK_RFC3339_MAX = 32 };
/* 2026-01-02T03:04:05.000006Z: Kubernetes' MicroTime. */
void clock_format_us(int64_t us, char out[CLOCK_RFC3339_MAX]);
/* 2026-01-02T03:04:05Z: Kubernetes' Time. */
void clock_format_s(int64_t seconds, char out[CLOCK_RFC3339_MAX]);
/*
 * RFC 3339 with "Z" or an offset, any number of fraction digits (cut to
 * microseconds). Returns 0, or -1 if the text is not such a time.
 */
int clock_parse_us(struct span text, int64_t *us);
#endif
