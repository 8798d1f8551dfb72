#include "libjq/jqcompile.h"

#include <string.h>

#include "base/mem.h"
#include "libjq/jq16/builtins.h"

#if !defined(__SANITIZE_ADDRESS__)
/* In place of the C library's: libjq, up to 1.7, does not look whether its
 * strdup failed, and crashes then, or compiles another program. */
__attribute__((visibility("default"))) char *
strdup(const char *s)
{
	return mem_strdup(s);
}
#endif

void
jqcompile_init(void)
{
	jv_nomem_handler(mem_exhausted, NULL);
}

jq_state *
jqcompile_state(const struct jqcompile_callbacks *c)
{
	jq_state *jq = jq_init();

	if (jq == NULL)
		return NULL;
	/* Set at once, because 1.6 leaves them uninitialised. */
	jq_set_nomem_handler(jq, mem_exhausted, NULL);
	jq_set_debug_cb(jq, c->debug, c->arg);
	jq_set_input_cb(jq, c->input, c->arg);
	jq_set_error_cb(jq, c->error, c->arg);
	/* 1.6 aborts if they are missing. */
	jq_set_attr(jq, jv_string("JQ_ORIGIN"), jv_string("/dev/null"));
	jq_set_attr(jq, jv_string("PROGRAM_ORIGIN"), jv_string("/dev/null"));
	jq_set_attr(jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
	return jq;
}

int
jqcompile_args(jq_state *jq, const char *program, jv args)
{
	return builtins_compile(jq, program, args, builtins_pick);
}

static void
drop(void *arg, jv message)
{
	(void)arg;
	jv_free(message);
}

int
jqcompile(jq_state *jq, const char *program)
{
	jq_msg_cb say;
	void *arg;
	int compiled;

	/* A message for users is one with all of jq's own definitions. */
	jq_get_error_cb(jq, &say, &arg);
	jq_set_error_cb(jq, drop, NULL);
	compiled = builtins_compile(jq, program, jv_invalid(), builtins_pick);
	jq_set_error_cb(jq, say, arg);
	return compiled ? compiled : jq_compile(jq, program);
}
