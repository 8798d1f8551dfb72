#include "kubectl/session.h"

#include <stdarg.h>
#include <stdlib.h>

#include "http/http.h"
#include "kubeconfig/auth.h"
#include "kubeconfig/kubeconfig.h"

enum { SILENCE_MS = 60000 };

static const char accept_json[] = "application/json";

const char *
session_option(const struct session *s, const char *name)
{
	return flags_get(&s->flags, name);
}

int
session_refuse(struct session *s, const char *fmt, ...)
{
	va_list ap;

	s->not_found = false;
	buf_reset(&s->refusal);
	va_start(ap, fmt);
	buf_addv(&s->refusal, fmt, ap);
	va_end(ap);
	return -1;
}

static struct span
message_of(const struct node *status, struct span body)
{
	return tree_is(status, NODE_OBJECT)
	    ? tree_text(tree_get(status, "message"))
	    : body;
}

int
session_refused(struct session *s, struct span body)
{
	struct node *status =
	    tree_parse(&s->arena, body, TREE_LIMITS, NULL, NULL);
	struct span reason = tree_text(tree_get(status, "reason"));
	struct span message = message_of(status, body), rest = message;
	struct span kind = tree_path_text(status, "details.kind");

	while (rest.n > 0 && !span_starts(rest, " is invalid: "))
		rest = span_skip(rest, 1);
	if (!span_is(reason, "Invalid") || !span_take(&rest, " is invalid: "))
		session_refuse(s, "Error from server%s%.*s%s: %.*s",
		    reason.n > 0 ? " (" : "", SPAN_ARG(reason),
		    reason.n > 0 ? ")" : "", SPAN_ARG(message));
	else if (kind.n == 0)
		session_refuse(
		    s, "The request is invalid: %.*s", SPAN_ARG(rest));
	else
		session_refuse(s, "The %.*s \"%.*s\" is invalid: %.*s",
		    SPAN_ARG(kind),
		    SPAN_ARG(tree_path_text(status, "details.name")),
		    SPAN_ARG(rest));
	s->not_found = span_is(reason, "NotFound");
	return -1;
}

static int
open_connection(struct session *s, struct err *err)
{
	struct kube_opts o = {.kubeconfig = session_option(s, "--kubeconfig"),
	    .context = session_option(s, "--context")};
	struct http_opts h = {.user_agent = "kubectl/tests"};

	if ((s->config = kubeconfig_load(&o, err)) == NULL ||
	    (s->auth = auth_new(s->loop, s->config, NULL, NULL, err)) == NULL)
		return -1;
	if (auth_ready(s->auth, err) == AUTH_FAILED)
		return -1;
	auth_tls(s->auth, &h.tls);
	s->http = http_new(s->loop, &h);
	return 0;
}

int
session_open(struct session *s)
{
	struct err err = ERR_INIT;

	/* A test must not find the cluster of the user who runs it. */
	if (!session_option(s, "--kubeconfig") && !getenv("KUBECONFIG"))
		return session_refuse(s, "error: set KUBECONFIG");
	s->loop = loop_new();
	if (open_connection(s, &err) != 0)
		return session_refuse(s, "error: %s", err.message);
	s->namespace_ =
	    span_str(flags_or(&s->flags, "-n", s->config->namespace_));
	return 0;
}

/* ---- requests ---- */

struct pending {
	struct session *session;
	bool done;
	int status;
	struct span body;
};

static void
on_done(void *arg, const struct http_response *r)
{
	struct pending *p = arg;
	struct session *s = p->session;

	p->status = r->status;
	if (r->err.kind != ERR_NONE)
		p->status = session_refuse(
		    s, "Unable to connect to the server: %s", r->err.message);
	p->body = arena_span(&s->arena, r->body);
	p->done = true;
}

static void
add_header(struct textlist *headers, const char *name, const char *value)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s: %s", name, value);
	textlist_add(headers, b.data, b.len);
	buf_release(&b);
}

static void
add_headers(struct session *s, struct textlist *headers, const char *type,
    struct span body, const char *accept)
{
	struct buf b = BUF_INIT;
	const char *user = session_option(s, "--as");

	auth_headers(s->auth, headers);
	add_header(headers, "Accept", accept == NULL ? accept_json : accept);
	if (user != NULL)
		add_header(headers, "Impersonate-User", user);
	if (body.p == NULL)
		return;
	buf_addf(&b, "application/%s", type);
	add_header(headers, "Content-Type", buf_str(&b));
	buf_release(&b);
}

int
session_send(struct session *s, const char *method, const char *path,
    const char *type, struct span body, const char *accept, struct span *answer)
{
	struct pending p = {.session = s};
	struct textlist headers = {NULL, 0};
	struct http_request r = {
	    .method = method, .body = body, .silence_ms = SILENCE_MS};
	struct buf url = BUF_INIT;

	add_headers(s, &headers, type, body, accept);
	buf_addf(&url, "%s%s", s->config->server, path);
	r.url = buf_str(&url);
	r.headers = (const char *const *)headers.items;
	http_start(s->http, &r, on_done, &p);
	while (!p.done)
		loop_once(s->loop, -1);
	buf_release(&url);
	textlist_release(&headers);
	*answer = p.body;
	return p.status;
}

struct node *
session_ask(struct session *s, const char *method, const char *path,
    const char *type, struct span body)
{
	struct span answer;
	struct err err = ERR_INIT;
	struct node *value;
	int status = session_send(s, method, path, type, body, NULL, &answer);

	if (status < 0)
		return NULL;
	if (status >= 400) {
		session_refused(s, answer);
		return NULL;
	}
	value = tree_parse(&s->arena, answer, TREE_LIMITS, NULL, &err);
	if (value == NULL)
		session_refuse(s, "error: %s: %s", path, err.message);
	return value;
}

struct node *
session_get(struct session *s, const char *path)
{
	return session_ask(s, "GET", path, NULL, SPAN_NONE);
}
