#include "libjq/jqcompile.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef void *scan_bytes(const char *bytes, int n, void *scanner);

static struct {
	scan_bytes *scan; /* libjq's own */
	struct span program;
	jqcompile_pick *pick;
} now;

/* In the place of libjq's function of this name. */
__attribute__((visibility("default"))) scan_bytes jq_yy_scan_bytes;

void *
jq_yy_scan_bytes(const char *bytes, int n, void *scanner)
{
	struct span text = span_make(bytes, n > 0 ? (size_t)n : 0);
	struct buf needed = BUF_INIT;
	void *buffer;

	if (now.scan == NULL)
		now.scan = (scan_bytes *)dlsym(RTLD_NEXT, "jq_yy_scan_bytes");
	/* libjq, which called this function, has its own. */
	if (now.scan == NULL)
		abort();
	if (now.pick == NULL || span_eq(text, now.program) ||
	    !now.pick(text, now.program, &needed))
		buffer = now.scan(bytes, n, scanner);
	else
		buffer = now.scan(buf_str(&needed), (int)needed.len, scanner);
	buf_release(&needed);
	return buffer;
}

static void
choose(const char *program, jqcompile_pick *pick)
{
	now.program = span_str(program);
	now.pick = pick;
}

int
jqcompile(jq_state *jq, const char *program, jqcompile_pick *pick)
{
	int compiled;

	choose(program, pick);
	compiled = jq_compile(jq, program);
	now.pick = NULL;
	return compiled;
}

int
jqcompile_args(jq_state *jq, const char *program, jv args, jqcompile_pick *pick)
{
	int compiled;

	choose(program, pick);
	compiled = jq_compile_args(jq, program, args);
	now.pick = NULL;
	return compiled;
}
