#include "environ.h"

#include <stdlib.h>

#include "base/buf.h"
#include "tap.h"

/* The variables that pass, joined by spaces. */
static void
passes(const char *watches, const char *want, const char *what)
{
	char *env[] = {"PATH=/bin", "AB=1", "A=2", "ABC=3", "KUBECONFIG=/k",
	    "TZDIR=/z", "WATCH_NAMESPACE=", "=odd", "NOVALUE", NULL};
	char **got = environ_select(env, span_str(watches));
	struct buf b = BUF_INIT;

	for (size_t i = 0; got[i] != NULL; i++)
		buf_addf(&b, "%s%s", i > 0 ? " " : "", got[i]);
	is(buf_str(&b), want, what);
	buf_release(&b);
	free(got);
}

int
main(void)
{
	char *env[] = {NULL};
	struct err err = ERR_INIT;

	passes(
	    "", "PATH=/bin TZDIR=/z WATCH_NAMESPACE=", "what is always there");
	passes("a: ${AB}", "PATH=/bin AB=1 TZDIR=/z WATCH_NAMESPACE=",
	    "a name, not its prefix, nor what it is a prefix of");
	passes("a: ${A:-x}",
	    "PATH=/bin A=2 TZDIR=/z WATCH_NAMESPACE=", "a default");
	passes("${ABC:?x}${NOVALUE}",
	    "PATH=/bin ABC=3 TZDIR=/z WATCH_NAMESPACE= NOVALUE",
	    "several; a required one");
	passes("$AB {AB} ${",
	    "PATH=/bin TZDIR=/z WATCH_NAMESPACE=", "no reference");
	passes("${AB", "PATH=/bin TZDIR=/z WATCH_NAMESPACE=", "cut short");
	ok(environ_for_program(env, "/nonexistent", NULL, &err) == NULL &&
		err.kind == ERR_PERMANENT,
	    "no file");
	is(err.message, "/nonexistent: No such file or directory",
	    "... and says so");
	return tap_done();
}
