/*
 * jqstate: a state of libjq, set up so that a program reaches nothing outside
 * and libjq 1.6 does not abort.
 */
#ifndef JQSTATE_H
#define JQSTATE_H

#include <jq.h>

struct jqstate_callbacks {
	jq_msg_cb debug;   /* called for `debug` */
	jq_input_cb input; /* called for `input` */
	jq_msg_cb error;   /* called for errors in the text of a program */
	void *arg;	   /* argument of all three; borrowed */
};

/* Owned: jq_teardown. NULL: out of memory. Includes are found nowhere. */
jq_state *jqstate_new(const struct jqstate_callbacks *callbacks);

#endif
