#include "libjq/jqstate.h"

jq_state *
jqstate_new(const struct jqstate_callbacks *c)
{
	jq_state *jq = jq_init();

	if (jq == NULL)
		return NULL;
	/* Set at once, because 1.6 leaves them uninitialised. */
	jq_set_debug_cb(jq, c->debug, c->arg);
	jq_set_input_cb(jq, c->input, c->arg);
	jq_set_error_cb(jq, c->error, c->arg);
	/* 1.6 aborts if they are missing. */
	jq_set_attr(jq, jv_string("JQ_ORIGIN"), jv_string("/dev/null"));
	jq_set_attr(jq, jv_string("PROGRAM_ORIGIN"), jv_string("/dev/null"));
	jq_set_attr(jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
	return jq;
}
