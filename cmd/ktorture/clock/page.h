/*
 * page: memory that all processes share which have one virtual clock
 * (t/clock/README): those that a ktorture forks, or, in tests, those that map the
 * file of KPIPE_CLOCK. A process takes a slot when it first waits, and never
 * gives it back: what is in it counts while a process of that pid and name
 * lives.
 */
#ifndef PAGE_H
#define PAGE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
	CLOCK_SLOTS = 4096,
	CLOCK_TASKS = 1024,   /* looked at at once */
	CLOCK_NAME = 16,      /* of a process, as the kernel cuts it */
	CLOCK_SIGNAL = SIGURG /* look at the page; ignored by other programs */
};
#define CLOCK_NO_TIME INT64_MAX

/* Bytes that the sockets of a process have under way. Blocked: those for which the
 * other side has no room, as it does not read. */
enum clock_flight {
	CLOCK_FLIGHT_NONE,
	CLOCK_FLIGHT_BLOCKED,
	CLOCK_FLIGHT_SENT
};

struct clock_slot {
	_Atomic int32_t pid;
	char name[CLOCK_NAME];
	_Atomic uint32_t waits;	    /* now */
	_Atomic uint32_t in_flight; /* enum clock_flight */
	/* When the wait ends, in nanoseconds of the clock that it counts on;
	 * CLOCK_NO_TIME: by an event only. */
	_Atomic int64_t boot_ns, awake_ns;
};

struct clock_page {
	_Atomic int64_t boot_ns;
	_Atomic int64_t asleep_ns; /* of them, in which the machine slept */
	_Atomic int64_t ahead_ns;  /* the wall clock, of boot_ns */
	uint64_t seed;		   /* of jitter */
	int32_t root; /* the process whose descendants are looked at */
	_Atomic uint32_t waits; /* a futex: how often any has begun to wait */
	_Atomic uint32_t forks; /* how often any has forked */
	_Atomic uint32_t used;
	/* Of the last look: a process whose parent is gone is one of ours. */
	int32_t known[CLOCK_TASKS];
	struct clock_slot slots[CLOCK_SLOTS];
};

/* From now on this process, and those that it forks, have that clock. NULL: that
 * of the machine, by which they do not wait. */
void page_use(struct clock_page *page);
/* For a process without a page, while it waits for those with one: what came to
 * it by TCP, and was read, is acknowledged, else its sender has bytes under way
 * for some 40 ms. */
void page_acknowledge(void);

#endif
