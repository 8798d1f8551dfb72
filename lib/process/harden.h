/*
 * harden: what each tool gives up before it reads anything, its options
 * included.
 *
 *	no core dumps	  one would hold tokens and other people's Secrets
 *	not dumpable	  no other process of the same user reads our memory or
 *			  environment, opens our descriptors or traces us: a
 *			  tool that is taken over reaches no other one
 *	no new privileges what we start gets no more rights than we have, even
 *			  by a set-user-ID file
 *
 * Who execs is dumpable again, and does this again; the other two are
 * inherited. All of it is what the kernel has had for long: where it refuses
 * (a filter of the container's), the tool runs as well without.
 */
#ifndef HARDEN_H
#define HARDEN_H

#include <sys/resource.h>

/* The first line of main. */
void harden_process(void);

/*
 * For a tool that starts the command of somebody else, which is to run as it
 * would without us: all but the privileges; limits is what it changed.
 */
void harden_parent(struct rlimit *limits);
/* In the child, before it execs. */
void harden_give_back(const struct rlimit *limits);

#endif
