#include "document/livez.h"

#include "reply/reply.h"

#include <string.h>

#include "base/array.h"

/* kubectl compares minor; some clients read gitVersion. */
static const char version_json[] =
    "{\"major\":\"1\",\"minor\":\"36\",\"emulationMajor\":\"1\","
    "\"emulationMinor\":\"36\",\"minCompatibilityMajor\":\"1\","
    "\"minCompatibilityMinor\":\"35\",\"gitVersion\":\"v1.36.3\","
    "\"gitCommit\":\"kpipe-" KPIPE_VERSION "\",\"gitTreeState\":\"clean\","
    "\"buildDate\":\"1970-01-01T00:00:00Z\",\"goVersion\":\"none\","
    "\"compiler\":\"cc\",\"platform\":\"linux/amd64\"}";

/* /readyz, /readyz/ping; the checks are those that a single process has. */
static bool
probe(struct request *r, const char *path)
{
	static const char *const checks[] = {"ping", "log", "etcd"};
	struct span rest, verbose = request_param(r, "verbose");

	if (!span_starts(r->path, path))
		return false;
	rest = span_make(r->path.p + strlen(path), r->path.n - strlen(path));
	if (rest.n == 0 || span_is(rest, "/")) {
		if (verbose.p == NULL)
			reply_plain(r, 200, "ok");
		else
			reply_plain(r, 200,
			    arena_printf(&r->arena,
				"[+]ping ok\n[+]log ok\n[+]etcd ok\n"
				"%s check passed\n",
				path + 1)
				.p);
		return true;
	}
	for (size_t i = 0; i < COUNT(checks); i++)
		if (rest.p[0] == '/' &&
		    span_is(span_skip(rest, 1), checks[i])) {
			reply_plain(r, 200, "ok");
			return true;
		}
	return false;
}

bool
livez_serve(struct request *r)
{
	if (span_is(r->path, "/version") || span_is(r->path, "/version/")) {
		struct span json = span_str(version_json);

		if (!span_is(r->http->method, "GET") &&
		    !span_is(r->http->method, "HEAD")) {
			reply_problem(r,
			    problem_generic(&r->arena, 405, "MethodNotAllowed",
				"the server does not allow this method on the "
				"requested resource"));
			return true;
		}
		r->as = AS_OBJECT;
		reply_json(r, 200, json);
		return true;
	}
	return probe(r, "/healthz") || probe(r, "/livez") ||
	    probe(r, "/readyz");
}
