#include "oracle/played.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/jvtext.h"
#include "value/date.h"
#include "value/objref.h"

/* ---- values ---- */

jv
played_at(jv array_peek, int i)
{
	jv v = jv_array_get(jv_copy(array_peek), i);

	/* The array keeps a reference of its own. */
	jv_free(v);
	return v;
}

int
played_length(jv array_peek)
{
	return jv_get_kind(array_peek) == JV_KIND_ARRAY
	    ? jv_array_length(jv_copy(array_peek))
	    : 0;
}

struct span
played_text(jv object_peek, const char *key)
{
	return jvtext_span(jvtext_peek(object_peek, key));
}

int64_t
played_number(jv object_peek, const char *key, int64_t or_else)
{
	jv v = jvtext_peek(object_peek, key);

	return jv_get_kind(v) == JV_KIND_NUMBER ? (int64_t)jv_number_value(v)
						: or_else;
}

/* ---- names ---- */

struct span
played_kind(struct arena *a, jv object_peek)
{
	struct buf b = BUF_INIT;
	struct span kind;

	objref_add_kind(&b, played_text(object_peek, "kind"),
	    objref_group(played_text(object_peek, "apiVersion")));
	kind = arena_span(a, buf_span(&b));
	buf_release(&b);
	return kind;
}

/* Digits in a row from which on they are a time or a random number. */
enum { MADE_UP = 5 };

void
played_add_masked(struct buf *b, struct span name)
{
	while (name.n > 0) {
		size_t digits = span_digits(name);

		if (digits >= MADE_UP)
			buf_addc(b, '#');
		else
			buf_add(b, name.p, digits);
		name = span_skip(name, digits);
		if (name.n > 0) {
			buf_addc(b, *name.p);
			name = span_skip(name, 1);
		}
	}
}

static void
add_name(struct buf *b, jv object_peek, bool masked)
{
	jv metadata = jvtext_peek(object_peek, "metadata");
	struct span namespace_ = played_text(metadata, "namespace");
	struct span prefix = played_text(metadata, "generateName");

	buf_addc(b, ' ');
	if (namespace_.n > 0) {
		buf_addspan(b, namespace_);
		buf_addc(b, '/');
	}
	if (!masked)
		buf_addspan(b, played_text(metadata, "name"));
	else if (prefix.n > 0) {
		played_add_masked(b, prefix);
		buf_addc(b, '*');
	} else
		played_add_masked(b, played_text(metadata, "name"));
}

static struct span
full_name(struct arena *a, jv object_peek, bool masked)
{
	struct buf b = BUF_INIT;
	struct span key;

	objref_add_kind(&b, played_text(object_peek, "kind"),
	    objref_group(played_text(object_peek, "apiVersion")));
	add_name(&b, object_peek, masked);
	key = arena_span(a, buf_span(&b));
	buf_release(&b);
	return key;
}

struct span
played_key(struct arena *a, jv object_peek)
{
	return full_name(a, object_peek, false);
}

struct span
played_canon(struct arena *a, jv object_peek)
{
	return full_name(a, object_peek, true);
}

struct span
played_label(struct arena *a, jv object_peek)
{
	struct buf b = BUF_INIT;
	struct span label;

	buf_addspan(&b, played_text(object_peek, "kind"));
	add_name(&b, object_peek, false);
	label = arena_span(a, buf_span(&b));
	buf_release(&b);
	return label;
}

bool
played_is_aside(struct span kind)
{
	static const char *const aside[] = {"Event", "Event.events.k8s.io",
	    "Lease.coordination.k8s.io", "Endpoints",
	    "EndpointSlice.discovery.k8s.io", NULL};

	return span_is_one_of(kind, aside);
}

/* ---- lines ---- */

static enum actor
actor_of(struct span by)
{
	return span_is(by, "client")	       ? ACTOR_CLIENT
	    : span_is(by, "cluster")	       ? ACTOR_CLUSTER
	    : span_is(by, "kapi") || by.n == 0 ? ACTOR_SERVER
					       : ACTOR_OPERATOR;
}

/* Of "2006-01-02T15:04:05.000000Z", microseconds since 1970; -1: it is not
 * that. */
static int64_t
parse_time(struct span s)
{
	static const char form[] = "0000-00-00T00:00:00";
	int64_t n[6] = {0}, us = 0, unit = 100000;
	int at = 0;

	if (s.n < sizeof(form))
		return -1;
	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (form[i] != '0')
			at++;
		else if (span_is_digit(s.p[i]))
			n[at] = n[at] * 10 + (s.p[i] - '0');
		else
			return -1;
	for (size_t i = sizeof(form);
	     s.p[sizeof(form) - 1] == '.' && i < s.n && span_is_digit(s.p[i]);
	     i++, unit /= 10)
		us += unit * (s.p[i] - '0');
	return (((date_to_days(n[0], (int)n[1], (int)n[2]) * 24 + n[3]) * 60 +
		    n[4]) *
		       60 +
		   n[5]) *
	    1000000 +
	    us;
}

static int64_t
time_of(jv line_peek)
{
	jv time = jvtext_peek(line_peek, "time");

	if (jv_get_kind(time) == JV_KIND_NUMBER)
		return (int64_t)jv_number_value(time);
	return parse_time(jvtext_span(time));
}

/*
 * Time as it passes, whatever the clock is set to. What was done in the moment
 * before may be told behind that; and a line of a request has the time at which
 * it began.
 */
struct passing {
	int64_t now, shift, before;
	bool setting; /* no line has a time of after it */
};

/* A fault "jump:SECONDS@...": the clock is set. */
static void
pass_jump(struct passing *t, jv line_peek)
{
	struct span at = played_text(line_peek, "fault");
	struct span what = span_cut(&at, '@'), kind = span_cut(&what, ':');
	char *end, *text;
	long seconds;

	if (!span_is(kind, "jump") || what.n == 0)
		return;
	text = mem_dup(what.p, what.n);
	seconds = strtol(text, &end, 10);
	free(text);
	t->before = t->shift;
	t->shift -= seconds * INT64_C(1000000);
	t->setting = true;
}

static int64_t
distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

static bool
is_of_before(const struct passing *t, int64_t us)
{
	return distance(us + t->before, t->now) <
	    distance(us + t->shift, t->now);
}

static int64_t
pass_to(struct passing *t, jv line_peek)
{
	int64_t us = time_of(line_peek);

	if (us < 0)
		return t->now;
	t->setting = t->setting && is_of_before(t, us);
	return t->now = us + (t->setting ? t->before : t->shift);
}

static int64_t
pass_to_request(struct passing *t, jv request_peek)
{
	int64_t us = time_of(request_peek);

	if (us >= 0 && is_of_before(t, us))
		return us + t->before;
	return pass_to(t, request_peek);
}

static void
read_fault(struct played *p, jv line_peek, struct passing *t)
{
	struct span text = played_text(line_peek, "fault");
	int64_t due_ms = played_number(line_peek, "dueMs", -1);

	pass_to(t, line_peek);
	pass_jump(t, line_peek);
	for (size_t i = 0; i < p->fault_count; i++)
		if (span_eq(p->faults[i].text, text))
			return;
	p->faults = mem_grow(p->faults, p->fault_count, sizeof(*p->faults));
	p->faults[p->fault_count++] = (struct played_fault){.text = text,
	    .us = t->now,
	    .due_us = due_ms < 0 ? -1 : due_ms * 1000,
	    .is_later =
		jv_get_kind(jvtext_peek(line_peek, "later")) == JV_KIND_TRUE};
}

static void
read_request(struct played *p, size_t line, jv line_peek, struct passing *t)
{
	struct played_request *r = &p->requests[p->request_count++];
	jv q = jvtext_peek(line_peek, "request");

	*r = (struct played_request){.by = actor_of(played_text(q, "by")),
	    .us = pass_to_request(t, q),
	    .number = played_number(q, "number", -1),
	    .line = line,
	    .request = q,
	    .verb = played_text(q, "verb"),
	    .resource = played_text(q, "resource"),
	    .subresource = played_text(q, "subresource"),
	    .name = played_text(q, "name"),
	    .namespace_ = played_text(q, "namespace"),
	    .code = (int)played_number(q, "code", 0),
	    .changed = jv_get_kind(jvtext_peek(q, "changed")) == JV_KIND_TRUE};
}

/* The owner: the controller, or the only one there is; or what kpipe's mark
 * names. */
static void
read_owner(struct played *p, struct played_life *l, jv metadata)
{
	jv refs = jvtext_peek(metadata, "ownerReferences");
	struct span member = played_text(
	    jvtext_peek(metadata, "annotations"), "kpipe.dev/member");
	const struct played_life *owner;
	int n = played_length(refs);

	l->owner = l->owner_key = SPAN_NONE;
	for (int i = 0; i < n; i++) {
		jv ref = played_at(refs, i);

		if (n > 1 &&
		    jv_get_kind(jvtext_peek(ref, "controller")) != JV_KIND_TRUE)
			continue;
		l->owner = played_text(ref, "uid");
		owner = map_get(&p->by_uid, l->owner);
		if (owner != NULL)
			l->owner_key = owner->key;
	}
	if (l->owner.n == 0 && member.n > 0) {
		/* "Kind.group/namespace/name ..." is "Kind.group
		 * namespace/name" here. */
		struct objref o;
		struct span key = span_cut(&member, ' ');
		struct buf b = BUF_INIT;

		if (objref_parse_key(&o, key)) {
			objref_add_kind(&b, o.kind, o.group);
			buf_addc(&b, ' ');
			if (o.namespace_.n > 0) {
				buf_addspan(&b, o.namespace_);
				buf_addc(&b, '/');
			}
			buf_addspan(&b, o.name);
			l->owner_key = arena_span(&p->arena, buf_span(&b));
		}
		buf_release(&b);
	}
}

static struct played_life *
new_life(struct played *p, struct played_change *c, struct span uid)
{
	struct played_life *l = arena_zalloc(&p->arena, sizeof(*l));

	l->kind = played_kind(&p->arena, c->object);
	l->key = played_key(&p->arena, c->object);
	l->canon = played_canon(&p->arena, c->object);
	l->label = played_label(&p->arena, c->object);
	l->uid = uid;
	l->first = c;
	l->maker = c->type == CHANGE_ADDED ? c->by : ACTOR_SERVER;
	l->earlier = map_put(&p->by_key, l->key, l);
	if (l->earlier != NULL && l->earlier->gone == NULL) {
		l->earlier->is_lost = true;
		l->earlier->gone = c;
		if (l->earlier->doomed == NULL)
			l->earlier->doomed = c;
	}
	if (uid.n > 0)
		map_put(&p->by_uid, uid, l);
	p->lives = mem_grow(p->lives, p->life_count, sizeof(*p->lives));
	p->lives[p->life_count++] = l;
	return l;
}

static void
read_change(struct played *p, size_t line, jv line_peek, struct passing *t)
{
	struct played_change *c = &p->changes[p->change_count++];
	struct span type = played_text(line_peek, "change"), uid;
	struct played_life *l;

	*c =
	    (struct played_change){.type = span_is(type, "ADDED") ? CHANGE_ADDED
		    : span_is(type, "DELETED") ? CHANGE_DELETED
					       : CHANGE_MODIFIED,
		.by = actor_of(played_text(line_peek, "by")),
		.us = pass_to(t, line_peek),
		.line = line,
		.object = jvtext_peek(line_peek, "object")};
	c->metadata = jvtext_peek(c->object, "metadata");
	uid = played_text(c->metadata, "uid");
	l = map_get(&p->by_uid, uid);
	if (l == NULL)
		l = new_life(p, c, uid);
	c->life = l;
	c->before = l->last;
	l->last = c;
	if (l->owner.n == 0 && l->owner_key.n == 0)
		read_owner(p, l, c->metadata);
	if (l->gone != NULL && c->type != CHANGE_DELETED)
		l->gone = l->doomed = NULL; /* a restored server has it */
	if (l->doomed == NULL &&
	    (c->type == CHANGE_DELETED ||
		played_text(c->metadata, "deletionTimestamp").n > 0))
		l->doomed = c;
	if (c->type == CHANGE_DELETED)
		l->gone = c;
	if (c->by == ACTOR_CLIENT || c->by == ACTOR_CLUSTER)
		p->last_step_us = c->us;
}

/* Each change gets the request that made it. */
static void
join_requests(struct played *p, jv numbers_of)
{
	size_t r = 0;

	for (size_t i = 0; i < p->change_count; i++) {
		struct played_change *c = &p->changes[i];
		int64_t number = played_number(
		    played_at(numbers_of, (int)c->line), "number", -1);

		/* It stands behind its changes, nearly always just there. */
		while (r < p->request_count && p->requests[r].line < c->line)
			r++;
		for (size_t k = r; number >= 0 && k < p->request_count; k++)
			if (p->requests[k].number == number) {
				c->request = &p->requests[k];
				break;
			}
	}
}

/* ---- primaries ---- */

static bool
changes_finalizers(const struct played_change *c)
{
	return c->before != NULL &&
	    !jv_equal(jv_copy(jvtext_peek(c->metadata, "finalizers")),
		jv_copy(jvtext_peek(c->before->metadata, "finalizers")));
}

static void
find_primaries(struct played *p)
{
	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];
		struct played_life *l = c->life, *owner;

		if (c->by != ACTOR_OPERATOR)
			continue;
		if (l->maker != ACTOR_OPERATOR &&
		    (played_is_of_status(c) || changes_finalizers(c)))
			map_put(&p->primaries, l->kind, l);
		owner = l->maker == ACTOR_OPERATOR && l->owner_key.n > 0
		    ? map_get(&p->by_key, l->owner_key)
		    : NULL;
		if (owner != NULL && owner->maker != ACTOR_OPERATOR)
			map_put(&p->primaries, owner->kind, owner);
	}
}

bool
played_is_primary(const struct played *p, struct span kind)
{
	return map_get(&p->primaries, kind) != NULL;
}

struct span
played_controller(jv metadata)
{
	jv refs = jvtext_peek(metadata, "ownerReferences");

	for (int i = 0, n = played_length(refs); i < n; i++) {
		jv ref = played_at(refs, i);

		if (jv_get_kind(jvtext_peek(ref, "controller")) == JV_KIND_TRUE)
			return played_text(ref, "uid");
	}
	return SPAN_NONE;
}

struct played *
played_new(jv record)
{
	struct played *p = mem_zalloc(sizeof(*p));
	int n = played_length(record);
	struct passing t = {0, 0, 0, false};

	p->record = record;
	p->end = p->state = jv_invalid();
	p->changes = mem_zalloc(((size_t)n + 1) * sizeof(*p->changes));
	p->requests = mem_zalloc(((size_t)n + 1) * sizeof(*p->requests));
	for (int i = 0; i < n; i++) {
		jv line = played_at(record, i);

		if (jv_is_valid(jvtext_peek(line, "change")))
			read_change(p, (size_t)i, line, &t);
		else if (jv_is_valid(jvtext_peek(line, "request")))
			read_request(p, (size_t)i, line, &t);
		else if (jv_is_valid(jvtext_peek(line, "fault")))
			read_fault(p, line, &t);
		else if (jv_is_valid(jvtext_peek(line, "end"))) {
			p->end = line;
			p->state = jvtext_peek(line, "state");
			pass_to(&t, line);
		}
		if (p->begin_us == 0)
			p->begin_us = t.now;
	}
	p->end_us = t.now;
	join_requests(p, record);
	find_primaries(p);
	return p;
}

void
played_free(struct played *p)
{
	if (p == NULL)
		return;
	map_release(&p->by_key);
	map_release(&p->by_uid);
	map_release(&p->primaries);
	free(p->changes);
	free(p->requests);
	free(p->lives);
	free(p->faults);
	arena_release(&p->arena);
	jv_free(p->record);
	free(p);
}

bool
played_is_of_status(const struct played_change *c)
{
	return c->request != NULL && span_is(c->request->subresource, "status");
}

struct span
played_meant_uid(const struct played_request *r)
{
	return played_text(
	    jvtext_peek(jvtext_peek(r->request, "body"), "metadata"), "uid");
}

bool
played_is_meant(const struct played_change *c)
{
	struct span uid =
	    c->request != NULL ? played_meant_uid(c->request) : SPAN_NONE;

	return uid.n == 0 || span_eq(uid, c->life->uid);
}
