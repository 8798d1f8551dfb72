/*
 * harden: what each tool does before it reads anything, even its options. It
 * gives up rights:
 *
 *	no core dumps	  one would hold tokens and other people's Secrets
 *	not dumpable	  no other process of the same user reads our memory or
 *			  environment, opens our descriptors or traces us: a
 *			  tool that is taken over reaches no other one
 *	no new privileges what we start gets no more rights than we have, even
 *			  by a set-user-ID file
 *
 * After exec a process is dumpable again, and each tool does this again; the
 * other two are inherited. If the kernel refuses one of these (by a filter of
 * the container), the tool runs without it.
 *
 * OpenSSL, in a tool that has it, gets memory as by base/mem.h from then on: a
 * process without memory says so and ends.
 *
 * And descriptors 0 to 2 that are closed get /dev/null, opened so that reading
 * standard input and writing the others fail with EBADF as before: no other
 * file takes their numbers, to be read, or written to, in their place.
 */
#ifndef HARDEN_H
#define HARDEN_H

#include <sys/resource.h>

/* The first line of main. */
void harden_process(void);

/*
 * For a tool that starts a user's command, which must run as it would without
 * us: all but the privileges; limits gets the old ones.
 */
void harden_parent(struct rlimit *limits);
/* In the child, before it execs. */
void harden_give_back(const struct rlimit *limits);

#endif
