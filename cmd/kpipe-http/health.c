#include "health.h"

#include <stdlib.h>

#include "base/mem.h"
#include "query.h"

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
	if (!stage->ready)
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

/* Marks the checks that ?exclude= names; other names are added to unknown. */
static void
exclude(struct checks *c, struct span query, struct buf *unknown)
{
	struct query q = query_open(query);

	while (query_next(&q)) {
		bool found = false;

		if (!span_is(buf_span(&q.key), "exclude"))
			continue;
		for (size_t i = 0; i < c->count; i++)
			if (span_is(buf_span(&q.value), c->list[i].name))
				found = c->list[i].excluded = true;
		if (!found) {
			buf_adds(unknown, unknown->len > 0 ? "," : "");
			query_quote(unknown, buf_span(&q.value));
		}
	}
	query_close(&q);
}

static bool
is_verbose(struct span query)
{
	struct query q = query_open(query);
	bool found = false;

	while (query_next(&q))
		found = found || span_is(buf_span(&q.key), "verbose");
	query_close(&q);
	return found;
}

static int
answer_all(struct checks *c, struct span query, struct buf *b)
{
	struct buf unknown = BUF_INIT;
	bool failed = false;

	exclude(c, query, &unknown);
	for (size_t i = 0; i < c->count; i++)
		failed = failed ||
		    (c->list[i].failure != NULL && !c->list[i].excluded);
	if (!failed && !is_verbose(query)) {
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
