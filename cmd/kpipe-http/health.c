#include "health.h"

#include <stdlib.h>

#include "base/mem.h"

struct check {
	const char *name;
	char *failure; /* owned; NULL: fine */
	bool excluded;
};

/* ping or kpipe, and the stages. */
struct checks {
	struct check list[SERIES_TOOLS_MAX + 1];
	size_t count;
};

static void
add(struct checks *c, const char *name, const char *failure)
{
	c->list[c->count++] =
	    (struct check){.name = name, .failure = mem_strdup(failure)};
}

static const char *
why_not(const struct state_stage *stage)
{
	if (!stage->running)
		return "it does not run";
	if (stage->unready == NULL && !stage->ready)
		return "not ready yet";
	return stage->unready;
}

static void
add_pipeline(struct checks *c, const struct state *s)
{
	struct buf b = BUF_INIT;

	if (s->known && strcmp(s->phase, "running") != 0)
		buf_addf(&b, "the pipeline is %s", s->phase);
	if (s->reason != NULL)
		buf_addf(&b, "%s%s", b.len > 0 ? ": " : "", s->reason);
	add(c, "kpipe",
	    !s->known	    ? "nothing is known yet"
		: b.len > 0 ? buf_str(&b)
			    : NULL);
	buf_release(&b);
}

static int
by_name(const void *a, const void *b)
{
	const struct check *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void
run(struct checks *c, const struct state *s, enum health_probe probe)
{
	c->count = 0;
	if (probe == HEALTH_ALIVE) {
		add(c, "ping", NULL);
		return;
	}
	add_pipeline(c, s);
	for (unsigned i = 0; i < s->count; i++)
		if (s->stages[i].listed && !s->stages[i].aside)
			add(c, s->stages[i].name, why_not(&s->stages[i]));
	qsort(c->list, c->count, sizeof(*c->list), by_name);
}

static void
release(struct checks *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->list[i].failure);
}

/* ---- the query ---- */

/* Parameters of a query, one after the other. */
struct query {
	struct span rest;
	struct buf key, value; /* decoded; bad escapes are kept */
};

static int
hex(char c)
{
	if (span_is_digit(c))
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void
decode(struct buf *b, struct span text)
{
	buf_reset(b);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '+') {
			c = ' ';
		} else if (c == '%' && i + 2 < text.n &&
		    hex(text.p[i + 1]) >= 0 && hex(text.p[i + 2]) >= 0) {
			c = (char)(hex(text.p[i + 1]) << 4 |
			    hex(text.p[i + 2]));
			i += 2;
		}
		buf_addc(b, c);
	}
}

static bool
query_next(struct query *q)
{
	struct span value;

	while (q->rest.n > 0) {
		value = span_cut(&q->rest, '&');
		if (value.n == 0)
			continue;
		decode(&q->key, span_cut(&value, '='));
		decode(&q->value, value);
		return true;
	}
	return false;
}

/* "text", with other bytes than plain ASCII as \xNN: it goes back to the
 * sender. */
static void
add_quoted(struct buf *b, struct span text)
{
	buf_addc(b, '"');
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '"' || c == '\\')
			buf_addf(b, "\\%c", c);
		else if (c < ' ' || c > '~')
			buf_addf(b, "\\x%02x", (unsigned char)c);
		else
			buf_addc(b, c);
	}
	buf_addc(b, '"');
}

/* Marks the checks that ?exclude= names; other names are added to unknown. */
static void
read_query(
    struct checks *c, struct span text, struct buf *unknown, bool *verbose)
{
	struct query q = {.rest = text};

	*verbose = false;
	while (query_next(&q)) {
		bool found = false;

		if (span_is(buf_span(&q.key), "verbose"))
			*verbose = true;
		if (!span_is(buf_span(&q.key), "exclude"))
			continue;
		for (size_t i = 0; i < c->count; i++)
			if (span_is(buf_span(&q.value), c->list[i].name))
				found = c->list[i].excluded = true;
		if (!found) {
			buf_adds(unknown, unknown->len > 0 ? "," : "");
			add_quoted(unknown, buf_span(&q.value));
		}
	}
	buf_release(&q.key);
	buf_release(&q.value);
}

/* ---- answers ---- */

static int
answer_all(struct checks *c, struct span query, struct buf *b)
{
	struct buf unknown = BUF_INIT;
	bool failed = false, verbose;

	read_query(c, query, &unknown, &verbose);
	for (size_t i = 0; i < c->count; i++)
		failed = failed ||
		    (c->list[i].failure != NULL && !c->list[i].excluded);
	if (!failed && !verbose) {
		buf_adds(b, "ok");
		buf_release(&unknown);
		return 200;
	}
	for (size_t i = 0; i < c->count; i++) {
		const struct check *x = &c->list[i];

		if (x->excluded)
			buf_addf(b, "[+]%s excluded: ok\n", x->name);
		else if (x->failure == NULL)
			buf_addf(b, "[+]%s ok\n", x->name);
		else
			buf_addf(b, "[-]%s failed: %s\n", x->name, x->failure);
	}
	if (unknown.len > 0)
		buf_addf(b,
		    "warn: some health checks cannot be excluded: no matches "
		    "for %s\n",
		    buf_str(&unknown));
	buf_addf(b, "healthz check %s\n", failed ? "failed" : "passed");
	buf_release(&unknown);
	return failed ? 500 : 200;
}

static int
answer_one(const struct checks *c, struct span name, struct buf *b)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct check *x = &c->list[i];

		if (!span_is(name, x->name))
			continue;
		if (x->failure == NULL) {
			buf_adds(b, "ok");
			return 200;
		}
		buf_addf(b, "internal server error: %s\n", x->failure);
		return 500;
	}
	buf_adds(b, "404 page not found\n");
	return 404;
}

int
health_answer(const struct state *s, enum health_probe probe, struct span below,
    struct span query, struct buf *b)
{
	struct checks c;
	int status;

	run(&c, s, probe);
	if (below.n <= 1)
		status = answer_all(&c, query, b);
	else
		status = answer_one(&c, span_skip(below, 1), b);
	release(&c);
	return status;
}

bool
health_ready(const struct state *s)
{
	struct checks c;
	bool ready = true;

	run(&c, s, HEALTH_READY);
	for (size_t i = 0; i < c.count; i++)
		ready = ready && c.list[i].failure == NULL;
	release(&c);
	return ready;
}
