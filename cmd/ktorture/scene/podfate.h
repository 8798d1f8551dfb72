/*
 * podfate: how and when a Pod ends, as pipeline/playground has it.
 *
 * An annotation says it: playground.kpipe.dev/outcome: Succeeded, Failed, either
 * with " after 3s". Else, if the restartPolicy is not Always, the commands of
 * its containers, if they do nothing but end: true, false, sleep N, exit N in a
 * shell, one of these after sleep N, or echo, printf, date, without a pipe or
 * another command behind it.
 */
#ifndef PODFATE_H
#define PODFATE_H

#include <stdbool.h>
#include <jv.h>

#include "base/span.h"

struct podfate {
	bool ends;    /* false: it runs until it is deleted */
	bool failed;  /* else it succeeds */
	long seconds; /* after its start */
};

struct podfate podfate_of(jv pod_peek);
/* Of a command in a shell: its exit code, and after how many seconds; false: it
 * goes on. */
bool podfate_of_shell(struct span text, long *code, long *seconds);

#endif
