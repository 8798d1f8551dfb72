#include "generator.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <jq.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "libjq/jqfiles.h"

bool
generator_exists(const struct textlist *dirs, const char *name)
{
	struct buf below = BUF_INIT;
	char *path;

	buf_addf(&below, "gen/%s", name);
	path = jqfiles_find(dirs, buf_str(&below), ".jq");
	buf_release(&below);
	free(path);
	return path != NULL;
}

/* The message of error() of a program; texts of jq itself as they are. */
static void
fail_run(jv result, const char *name, struct err *err)
{
	jv message = jv_invalid_get_msg(result);

	if (jv_get_kind(message) == JV_KIND_STRING)
		err_set(err, ERR_PERMANENT, "%s", jv_string_value(message));
	else
		err_set(err, ERR_PERMANENT, "gen/%s.jq gives no files", name);
	jv_free(message);
}

static jv
evaluate(jq_state *jq, const char *name, jv input, struct err *err)
{
	jv result, more;

	jq_start(jq, input, 0);
	result = jq_next(jq);
	if (!jv_is_valid(result)) {
		fail_run(result, name, err);
		return jv_invalid();
	}
	more = jq_next(jq);
	if (jv_is_valid(more) || jv_get_kind(result) != JV_KIND_ARRAY) {
		err_set(err, ERR_PERMANENT,
		    "gen/%s.jq must give one array of files", name);
		jv_free(result);
		result = jv_invalid();
	}
	jv_free(more);
	return result;
}

/* ---- limits ---- */

static void
on_limit(int number)
{
	static const char slow[] =
	    "kgen: fatal: the generator takes too much time\n";
	static const char large[] =
	    "kgen: fatal: the generator takes too much memory\n";
	bool is_slow = number == SIGXCPU;
	ssize_t n = write(STDERR_FILENO, is_slow ? slow : large,
	    is_slow ? sizeof(slow) - 1 : sizeof(large) - 1);

	(void)n;
	_exit(EXIT_PERMANENT);
}

/* A lower limit that is there stays. */
static void
limit_one(int resource, rlim_t most)
{
	struct rlimit r;

	if (getrlimit(resource, &r) != 0 ||
	    (r.rlim_cur != RLIM_INFINITY && r.rlim_cur <= most))
		return;
	r.rlim_cur = most;
	setrlimit(resource, &r);
}

/* libjq aborts when there is no memory. */
static void
limit(void)
{
	signal(SIGXCPU, on_limit);
	signal(SIGABRT, on_limit);
	limit_one(RLIMIT_CPU, GENERATOR_CPU_S);
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer's shadow counts as data */
	limit_one(RLIMIT_DATA, (rlim_t)GENERATOR_MEMORY_MIB << 20);
#endif
}

/* ---- all of it ---- */

static jq_state *
compile(const struct textlist *dirs, const char *name, struct err *err)
{
	struct buf program = BUF_INIT, expression = BUF_INIT;
	const char *names[] = {"gen/yaml", NULL, NULL};
	jq_state *jq;

	buf_addf(&program, "gen/%s", name);
	buf_addf(&expression, "%s | _files", name);
	names[1] = buf_str(&program);
	jq = jqfiles_compile(dirs, names, buf_str(&expression), err);
	buf_release(&program);
	buf_release(&expression);
	return jq;
}

jv
generator_run(
    const struct textlist *dirs, const char *name, jv input, struct err *err)
{
	jq_state *jq;
	jv files;

	/* libjq would read ~/.jq. */
	clearenv();
	mem_setenv("HOME", "/dev/null");
	limit();
	jq = compile(dirs, name, err);
	if (jq == NULL) {
		jv_free(input);
		return jv_invalid();
	}
	files = evaluate(jq, name, input, err);
	jq_teardown(&jq);
	return files;
}
