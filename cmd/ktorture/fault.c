#include "fault.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "json/jvtext.h"

#define CODE(code)                                                          \
	{                                                                   \
		code, "", FAULT_PLAN, FAULT_ANY | FAULT_WATCHES, true,      \
		    FAULT_NOTHING, "\"code\":" code, "codes"                \
	}
#define ACT(name, args, where, act, group)                                  \
	{                                                                   \
		name, args, FAULT_BREAK, where, true, act, NULL, group      \
	}

enum { ALL = FAULT_ANY | FAULT_WATCHES };

const struct fault_kind fault_kinds[] = {
    /* what the server answers */
    CODE("400"), CODE("401"), CODE("403"), CODE("404"), CODE("409"),
    CODE("410"), CODE("422"), CODE("429"), CODE("500"), CODE("503"),
    CODE("504"),
    {"401-while", "40000", FAULT_PLAN, ALL, false, FAULT_NOTHING,
	"\"code\":401,\"forMs\":%s", "codes for a while"},
    {"403-while", "40000", FAULT_PLAN, ALL, false, FAULT_NOTHING,
	"\"code\":403,\"forMs\":%s", "codes for a while"},
    {"409-while", "20000", FAULT_PLAN, FAULT_WRITES, false, FAULT_NOTHING,
	"\"code\":409,\"forMs\":%s", "codes for a while"},
    {"500-while", "40000", FAULT_PLAN, ALL, false, FAULT_NOTHING,
	"\"code\":500,\"forMs\":%s", "codes for a while"},
    {"quota", "30000", FAULT_PLAN, FAULT_WRITES, false, FAULT_NOTHING,
	"\"code\":403,\"forMs\":%s,\"message\":\"exceeded quota: "
	"torture\"",
	"codes for a while"},
    /* connections */
    {"cut", "", FAULT_PLAN, ALL, true, FAULT_NOTHING, "\"fault\":\"cut\"",
	"connections"},
    {"cut-within", "1|40|400", FAULT_PLAN, FAULT_ANY, false, FAULT_NOTHING,
	"\"fault\":\"cut\",\"after\":true,\"bytes\":%s", "connections"},
    {"freeze", "", FAULT_PLAN, ALL, true, FAULT_NOTHING,
	"\"fault\":\"freeze\"", "connections"},
    {"delay", "2000|20000", FAULT_PLAN, ALL, false, FAULT_NOTHING,
	"\"delayMs\":%s", "connections"},
    {"goaway", "", FAULT_PLAN, FAULT_ANY, false, FAULT_NOTHING,
	"\"fault\":\"goaway\"", "connections"},
    /* watches */
    {"watch-cut", "", FAULT_PLAN, FAULT_EVENTS, false, FAULT_NOTHING,
	"\"fault\":\"cut\"", "watches"},
    {"watch-cut-within", "30", FAULT_PLAN, FAULT_EVENTS, false,
	FAULT_NOTHING, "\"fault\":\"cut\",\"bytes\":%s", "watches"},
    {"watch-410", "", FAULT_PLAN, FAULT_EVENTS, false, FAULT_NOTHING,
	"\"code\":410", "watches"},
    {"watch-500", "", FAULT_PLAN, FAULT_EVENTS, false, FAULT_NOTHING,
	"\"code\":500", "watches"},
    {"watch-hold", "3000|40000", FAULT_PLAN, FAULT_EVENTS, false,
	FAULT_NOTHING, "\"fault\":\"hold\",\"delayMs\":%s", "watches"},
    {"watch-hang", "", FAULT_PLAN, FAULT_EVENTS, false, FAULT_NOTHING,
	"\"fault\":\"hold\"", "watches"},
    {"watch-twice", "", FAULT_PLAN, FAULT_EVENTS, false, FAULT_NOTHING,
	"\"fault\":\"duplicate\"", "watches"},
    {"stale", "3", FAULT_PLAN, FAULT_LISTS, false, FAULT_NOTHING,
	"\"fault\":\"stale\",\"versions\":%s", "watches"},
    {"compact", "", FAULT_PLAN, ALL, false, FAULT_NOTHING,
	"\"fault\":\"compact\"", "watches"},
    /* processes */
    ACT("kill", "kwatch|ireconcile|evaluator|kapply|kstatus|kpipe", ALL,
	FAULT_KILL, "processes killed"),
    ACT("stop", "kwatch|ireconcile|kapply|kstatus|kpipe", ALL, FAULT_STOP,
	"processes stopped"),
    ACT("starve", "kwatch|ireconcile|kapply|kstatus", ALL, FAULT_STARVE,
	"out of memory"),
    /* the server */
    ACT("restart", "", ALL, FAULT_RESTART, "server restarted"),
    ACT("restore", "", FAULT_WRITES, FAULT_RESTORE, "server restored"),
    /* the clock */
    ACT("jump", "3600|-3600", ALL, FAULT_JUMP, "clock"),
    ACT("suspend", "600", ALL, FAULT_SUSPEND, "clock"),
    /* another client at the worst moment */
    ACT("touch", "", FAULT_WRITES, FAULT_TOUCH, "another client"),
    ACT("delete", "", FAULT_WRITES, FAULT_DELETE, "another client"),
    {NULL, NULL, 0, 0, false, 0, NULL, NULL}};

/* ---- text ---- */

static struct span
kept(struct arena *a, struct span s)
{
	return arena_span(a, s);
}

static int
read_number(struct span text, unsigned *n, struct err *err)
{
	unsigned value = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9' || value > 100000)
			return err_set(err, ERR_PERMANENT,
			    "\"%.*s\" is not a number", SPAN_ARG(text));
		value = value * 10 + (unsigned)(text.p[i] - '0');
	}
	if (value == 0)
		return err_set(
		    err, ERR_PERMANENT, "numbers of a fault begin with 1");
	*n = value;
	return 0;
}

static const struct fault_kind *
find_kind(struct span name)
{
	for (const struct fault_kind *k = fault_kinds; k->name != NULL; k++)
		if (span_is(name, k->name))
			return k;
	return NULL;
}

static bool
takes_off(struct span *s, const char *end)
{
	size_t n = strlen(end);

	if (s->n <= n || memcmp(s->p + s->n - n, end, n) != 0)
		return false;
	s->n -= n;
	return true;
}

static int
read_point(
    struct arena *a, struct span text, struct fault_point *p, struct err *err)
{
	struct span numbers = text, event, rest;

	*p = (struct fault_point){.nth = 1};
	rest = span_cut(&numbers, '#');
	if (numbers.n > 0 && read_number(numbers, &p->nth, err) != 0)
		return -1;
	event = rest;
	rest = span_cut(&event, '!');
	if (event.n > 0 && read_number(event, &p->event, err) != 0)
		return -1;
	p->stage = kept(a, span_cut(&rest, '/'));
	p->verb = kept(a, span_cut(&rest, '/'));
	if (span_is(p->verb, "GET")) { /* a path */
		p->resource = kept(a, rest);
		return 0;
	}
	p->resource = kept(a, span_cut(&rest, '/'));
	p->namespace_ = kept(a, span_cut(&rest, '/'));
	p->name = kept(a, rest);
	if (span_is(p->namespace_, "-"))
		p->namespace_ = SPAN_NONE;
	if (span_is(p->name, "-"))
		p->name = SPAN_NONE;
	if (p->resource.n == 0)
		return err_set(err, ERR_PERMANENT,
		    "\"%.*s\" is not STAGE/VERB/RESOURCE[/NAMESPACE/NAME]",
		    SPAN_ARG(text));
	return 0;
}

int
fault_read(struct arena *a, struct span text, struct fault *f, struct err *err)
{
	struct span at = text, what = span_cut(&at, '@'), name;

	*f = (struct fault){0};
	name = what;
	f->kind = find_kind(name);
	if (f->kind == NULL) {
		f->after = takes_off(&what, "-after");
		name = span_cut(&what, ':');
		f->arg = kept(a, what);
		f->kind = find_kind(name);
	}
	if (f->kind == NULL)
		return err_set(err, ERR_PERMANENT,
		    "\"%.*s\": no fault is called \"%.*s\"", SPAN_ARG(text),
		    SPAN_ARG(name));
	if ((f->kind->args[0] != '\0') != (f->arg.n > 0))
		return err_set(err, ERR_PERMANENT, "\"%.*s\": %s %s",
		    SPAN_ARG(text), f->kind->name,
		    f->kind->args[0] != '\0' ? "needs an argument"
					     : "takes no argument");
	if (at.n == 0)
		return err_set(err, ERR_PERMANENT,
		    "\"%.*s\": where it happens is missing: FAULT@POINT",
		    SPAN_ARG(text));
	if (read_point(a, at, &f->at, err) != 0)
		return err_prefix(err, "\"%.*s\"", SPAN_ARG(text));
	return 0;
}

static void
add_part(struct buf *b, struct span s)
{
	buf_addc(b, '/');
	if (s.n == 0)
		buf_addc(b, '-');
	else
		buf_addspan(b, s);
}

void
fault_print(const struct fault *f, struct buf *b)
{
	const struct fault_point *p = &f->at;

	buf_adds(b, f->kind->name);
	if (f->arg.n > 0)
		buf_addf(b, ":%.*s", SPAN_ARG(f->arg));
	if (f->after)
		buf_adds(b, "-after");
	buf_addf(b, "@%.*s/%.*s/%.*s", SPAN_ARG(p->stage), SPAN_ARG(p->verb),
	    SPAN_ARG(p->resource));
	if (p->namespace_.n > 0 || p->name.n > 0) {
		add_part(b, p->namespace_);
		add_part(b, p->name);
	}
	if (p->event > 0)
		buf_addf(b, "!%u", p->event);
	if (p->nth != 1)
		buf_addf(b, "#%u", p->nth);
}

/* ---- kapi's lines ---- */

static void
add_member(struct buf *b, const char *key, struct span value)
{
	json_add_key(b, key);
	json_add_string(b, value);
}

/* "deployments.apps", "memcacheds.cache.example.com.status": where the group
 * ends is known, for a subresource is written with a colon. */
static void
add_resource(struct buf *b, struct span text)
{
	struct span sub = text, group, resource;

	group = span_cut(&sub, ':');
	resource = span_cut(&group, '.');
	add_member(b, "resource", resource);
	add_member(b, "group", group);
	add_member(b, "subresource", sub);
}

void
fault_plan(const struct fault *f, struct buf *b)
{
	const struct fault_point *p = &f->at;
	struct buf agent = BUF_INIT;

	buf_addc(b, '{');
	buf_addf(&agent, "%.*s/*", SPAN_ARG(p->stage));
	add_member(b, "userAgent", buf_span(&agent));
	buf_release(&agent);
	if (span_is(p->verb, "GET")) {
		add_member(b, "path", p->resource);
	} else {
		add_member(b, "verb", p->verb);
		add_resource(b, p->resource);
		add_member(b, "namespace", p->namespace_);
		add_member(b, "name", p->name);
	}
	buf_addf(b, ",\"nth\":%u", p->nth);
	if (p->event > 0)
		buf_addf(b, ",\"event\":%u", p->event);
	if (f->after)
		buf_adds(b, ",\"after\":true");
	buf_addc(b, ',');
	if (f->kind->way == FAULT_BREAK)
		buf_adds(b, "\"pause\":true");
	else if (strstr(f->kind->plan, "%s") != NULL) {
		const char *at = strstr(f->kind->plan, "%s");

		buf_add(b, f->kind->plan, (size_t)(at - f->kind->plan));
		buf_addspan(b, f->arg);
		buf_adds(b, at + 2);
	} else
		buf_adds(b, f->kind->plan);
	buf_addc(b, '}');
}

static struct span
member(jv object, const char *key)
{
	struct span s = jvtext_span(jvtext_peek(object, key));

	return s.p != NULL ? s : span_str("");
}

bool
fault_point_of(struct arena *a, jv request, struct fault_point *p)
{
	struct span agent = member(request, "userAgent"), rest = agent;
	struct span sub = member(request, "subresource");
	struct span group = member(request, "group");
	struct buf b = BUF_INIT;

	*p = (struct fault_point){.nth = 1};
	p->stage = span_cut(&rest, '/');
	if (p->stage.n == agent.n || p->stage.p[0] != 'k')
		return false;
	p->stage = kept(a, p->stage);
	if (member(request, "resource").n == 0) {
		p->verb = span_str("GET");
		p->resource = kept(a, member(request, "path"));
		return true;
	}
	p->verb = kept(a, member(request, "verb"));
	buf_addspan(&b, member(request, "resource"));
	if (group.n > 0)
		buf_addf(&b, ".%.*s", SPAN_ARG(group));
	if (sub.n > 0)
		buf_addf(&b, ":%.*s", SPAN_ARG(sub));
	p->resource = kept(a, buf_span(&b));
	buf_release(&b);
	p->namespace_ = kept(a, member(request, "namespace"));
	p->name = kept(a, member(request, "name"));
	return true;
}

bool
fault_point_same(const struct fault_point *a, const struct fault_point *b)
{
	return span_eq(a->stage, b->stage) && span_eq(a->verb, b->verb) &&
	    span_eq(a->resource, b->resource) &&
	    span_eq(a->namespace_, b->namespace_) && span_eq(a->name, b->name);
}
