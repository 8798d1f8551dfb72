/*
 * clock: the times this project needs, in integers.
 *
 * Monotonic milliseconds for timers (CLOCK_BOOTTIME: suspended time counts, as
 * it does for the rest of the cluster), Unix microseconds for people and
 * objects. Always UTC.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

#include "base/span.h"

uint64_t clock_ms(void);     /* since boot */
int64_t clock_boot_us(void); /* the same, finer */
int64_t clock_real_us(void); /* since 1970 */

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
