/*
 * jqcompile: a program for libjq, compiled so that it reaches nothing outside.
 */
#ifndef JQCOMPILE_H
#define JQCOMPILE_H

#include <jq.h>

/* First of all in a process with libjq: without memory it ends as by mem.h, and
 * not by abort(). */
void jqcompile_init(void);

struct jqcompile_callbacks {
	jq_msg_cb debug;   /* called for `debug` */
	jq_input_cb input; /* called for `input` */
	jq_msg_cb error;   /* called for errors in the text of a program */
	void *arg;	   /* argument of all three; borrowed */
};

/* A state without a program. Owned: jq_teardown. NULL: out of memory. Includes
 * are found nowhere. */
jq_state *jqcompile_state(const struct jqcompile_callbacks *callbacks);

/* jq_compile; 0: the program was refused. It has no `import` and no `include`,
 * and there is no ~/.jq. */
int jqcompile(jq_state *jq, const char *program);
/* jq_compile_args, with only those of jq's own definitions that the program
 * names. args, taken, has the values of its variables. */
int jqcompile_args(jq_state *jq, const char *program, jv args);

#endif
