#include "oracle/leadership.h"

#include "json/jvtext.h"

/* The Lease as it is, and who works. */
struct tenure {
	struct span holder; /* its identity; empty: none */
	int64_t until_us;   /* by its last change */
	bool worked;	    /* an instance has had it */
	bool released;	    /* ... and has given it back */
	struct span instance;
	int64_t number; /* of the request since when that is so */
};

static bool
is_of_lease(const struct played_change *c)
{
	return span_is(c->life->kind, "Lease.coordination.k8s.io");
}

static struct span
text_or_none(jv object, const char *key)
{
	struct span s = played_text(object, key);

	return s.p != NULL ? s : span_str("");
}

static struct span
instance_of(const struct played_request *r)
{
	struct span agent = text_or_none(r->request, "userAgent");

	span_cut(&agent, '/');
	return agent;
}

/* kelect writes it, and another holder than before is in it. */
static void
take(struct tenure *t, const struct played_change *c, struct span holder,
    struct violations *f)
{
	int64_t early = t->until_us - c->us;

	if (t->holder.n > 0 && holder.n > 0 && early > 0)
		violations_add(f, "lease", c->life->label,
		    "it is taken %.3f s before the time of its holder is over",
		    (double)early / 1e6);
	if (c->request == NULL)
		return;
	t->released = holder.n == 0;
	t->worked = true;
	t->instance = instance_of(c->request);
	t->number = c->request->number;
}

static void
follow(struct tenure *t, const struct played_change *c, struct violations *f)
{
	jv spec = jvtext_peek(c->object, "spec");
	struct span holder = c->type == CHANGE_DELETED
	    ? span_str("")
	    : text_or_none(spec, "holderIdentity");

	if (c->by == ACTOR_OPERATOR && !span_eq(holder, t->holder))
		take(t, c, holder, f);
	if (c->before == NULL || c->type == CHANGE_DELETED ||
	    !jv_equal(
		jv_copy(spec), jv_copy(jvtext_peek(c->before->object, "spec"))))
		t->until_us = c->us +
		    played_number(spec, "leaseDurationSeconds", 0) * 1000000;
	t->holder = holder;
}

/* Of a stage that waits for the leadership. */
static bool
is_fenced(const struct played_request *r)
{
	static const char *const writes[] = {
	    "create", "update", "patch", "delete", "deletecollection", NULL};
	struct span agent = text_or_none(r->request, "userAgent");

	return (span_starts(agent, "kapply/") ||
		   span_starts(agent, "kstatus/")) &&
	    span_is_one_of(r->verb, writes) && r->code >= 200 &&
	    r->code < 300 && !span_is(r->resource, "events");
}

static void
check_write(const struct tenure *t, const struct played *p,
    const struct played_request *r, struct violations *f)
{
	double at = (double)(r->us - p->begin_us) / 1e6;

	if (!is_fenced(r) || r->number < t->number)
		return;
	if (!t->worked)
		violations_add(f, "lease", SPAN_NONE,
		    "%.*s %.*s is written at %.3f s, before any instance leads",
		    SPAN_ARG(r->resource), SPAN_ARG(r->name), at);
	else if (!span_eq(t->instance, instance_of(r)))
		violations_add(f, "lease", SPAN_NONE,
		    "%.*s %.*s is written at %.3f s by an instance that leads "
		    "no more: another one does",
		    SPAN_ARG(r->resource), SPAN_ARG(r->name), at);
	else if (t->released)
		violations_add(f, "lease", SPAN_NONE,
		    "%.*s %.*s is written at %.3f s by an instance that has "
		    "given the lease back",
		    SPAN_ARG(r->resource), SPAN_ARG(r->name), at);
}

bool
leadership_elects(const struct played *p)
{
	for (size_t i = 0; i < p->request_count; i++)
		if (span_starts(
			text_or_none(p->requests[i].request, "userAgent"),
			"kelect/"))
			return true;
	return false;
}

void
leadership_check(const struct played *p, struct violations *f)
{
	struct tenure t = {.number = -1};
	size_t next = 0;
	int64_t now = p->begin_us;

	if (!leadership_elects(p))
		return;
	for (int i = 0, n = played_length(p->record), r = 0; i < n; i++) {
		jv line = played_at(p->record, i);

		if (next < p->change_count &&
		    p->changes[next].line == (size_t)i) {
			if (is_of_lease(&p->changes[next]))
				follow(&t, &p->changes[next], f);
			next++;
		}
		if ((size_t)r < p->request_count &&
		    p->requests[r].line == (size_t)i) {
			now = p->requests[r].us;
			check_write(&t, p, &p->requests[r++], f);
		}
		if (jv_is_valid(jvtext_peek(line, "silence")) &&
		    (t.holder.n == 0 || t.until_us < now))
			violations_add(f, "lease", SPAN_NONE,
			    "no instance leads when all should be done");
	}
}
