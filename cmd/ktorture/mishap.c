#include "mishap.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "json/jvtext.h"

/* The order of the columns in the table. */
#define PLAN(name, args, where, both, group, plan, due)                      \
	{                                                                    \
		name, args, MISHAP_PLAN, where, both, MISHAP_NOTHING, group, \
		    plan, NULL, due                                          \
	}
#define CODE(code, due) \
	PLAN(code, "", ALL, true, "codes", "\"code\":" code, due)
#define WHILE(name, where, plan, due) WHILES(name, "40000", where, plan, due)
#define WHILES(name, args, where, plan, due) \
	PLAN(name, args, where, false, "codes for a while", plan, due)
#define ACT(name, args, where, act, group, due) \
	ACT_BUT(name, args, where, act, group, NULL, due)
#define ACT_BUT(name, args, where, act, group, forgives, due)            \
	{                                                                \
		name, args, MISHAP_BREAK, where, true, act, group, NULL, \
		    forgives, due                                        \
	}

#define LINE(name, args, act, due)                                  \
	{                                                           \
		name, args, MISHAP_RELAY, MISHAP_LINES, false, act, \
		    "lines between stages", NULL, NULL, due         \
	}

enum { ALL = MISHAP_ANY | MISHAP_WATCHES, ONE = MISHAP_WRITES | MISHAP_GETS };

/*
 * The last column: how long the fault lasts, if its argument says so, in which
 * unit; and seconds until the operator has recovered. kpipe's tools have their
 * times in their manuals: jitter makes each wait up to twice as long.
 */
enum {
	MS = 1 << 16,
	S = 1 << 17,
	/* a passing failure is tried again after 0.1 s; a watch after 0.8 s */
	SOON = 2,
	/* what had no effect is asked for again after 10 s */
	IGNORED = 10,
	/* a failure for good after 5 s, doubled each time: 20 s if the scenario has
	 * it refused twice already */
	REFUSED = 40,
	/* ... after it has lasted: half of the wait that it has come to */
	CUT_FOR_LONG = 30,     /* 15 s at most */
	DENIED_FOR_LONG = 30,  /* 15 s at most */
	FAILED_FOR_LONG = 60,  /* 30 s at most */
	REFUSED_FOR_LONG = 80, /* 5 s, doubled: over 40 s it comes to 40 s */
	IGNORED_FOR_LONG = 40, /* 10 s, doubled, without jitter */
	/* a request gets 40 s, a list 75 s, a watch 120 s until it is answered */
	FROZEN = 0xfffe,
	/* the pipeline starts again at once, a program after 10 s */
	KILLED = 10,
	NEVER = 0xffff /* nobody knows */
};

const struct mishap_kind mishap_kinds[] = {
    /* what the server answers */
    CODE("400", REFUSED), CODE("401", REFUSED), CODE("403", REFUSED),
    CODE("404", REFUSED), CODE("409", IGNORED), CODE("410", REFUSED),
    CODE("422", REFUSED), CODE("429", SOON), CODE("500", SOON),
    CODE("503", SOON), CODE("504", SOON),
    WHILE("401-while", ALL, "\"code\":401,\"forMs\":%s", MS + REFUSED_FOR_LONG),
    WHILE("403-while", ALL, "\"code\":403,\"forMs\":%s", MS + DENIED_FOR_LONG),
    WHILE("404-while", ALL, "\"code\":404,\"forMs\":%s", MS + REFUSED_FOR_LONG),
    WHILE("409-while", MISHAP_WRITES, "\"code\":409,\"forMs\":%s",
	MS + IGNORED_FOR_LONG),
    WHILE("422-while", MISHAP_WRITES, "\"code\":422,\"forMs\":%s",
	MS + REFUSED_FOR_LONG),
    WHILE("429-while", ALL, "\"code\":429,\"forMs\":%s", MS + FAILED_FOR_LONG),
    WHILES("500-while", "40000|150000", ALL, "\"code\":500,\"forMs\":%s",
	MS + FAILED_FOR_LONG),
    WHILE(
	"cut-while", ALL, "\"fault\":\"cut\",\"forMs\":%s", MS + CUT_FOR_LONG),
    WHILE("quota", MISHAP_WRITES,
	"\"code\":403,\"forMs\":%s,\"message\":\"exceeded quota: "
	"torture\"",
	MS + DENIED_FOR_LONG),
    /* connections */
    PLAN("cut", "", ALL, true, "connections", "\"fault\":\"cut\"", SOON),
    PLAN("cut-within", "1|40|400", MISHAP_ANY, false, "connections",
	"\"fault\":\"cut\",\"after\":true,\"bytes\":%s", SOON),
    PLAN(
	"freeze", "", ALL, true, "connections", "\"fault\":\"freeze\"", FROZEN),
    PLAN("delay", "2000|20000", ALL, false, "connections", "\"delayMs\":%s",
	MS + SOON),
    PLAN("goaway", "", MISHAP_ANY, false, "connections", "\"fault\":\"goaway\"",
	SOON),
    /* watches */
    PLAN("watch-cut", "", MISHAP_EVENTS, false, "watches", "\"fault\":\"cut\"",
	SOON),
    PLAN("watch-cut-within", "30", MISHAP_EVENTS, false, "watches",
	"\"fault\":\"cut\",\"bytes\":%s", SOON),
    PLAN(
	"watch-410", "", MISHAP_EVENTS, false, "watches", "\"code\":410", SOON),
    PLAN(
	"watch-500", "", MISHAP_EVENTS, false, "watches", "\"code\":500", SOON),
    PLAN("watch-hold", "3000|40000|100000", MISHAP_EVENTS, false, "watches",
	"\"fault\":\"hold\",\"delayMs\":%s", MS + SOON),
    /* It is noticed when the watch ends by itself, after minutes. */
    {"watch-hang", "", MISHAP_PLAN, MISHAP_EVENTS, false, MISHAP_NOTHING,
	"watches", "\"fault\":\"hold\"", "silence expect", NEVER},
    PLAN("watch-end-while", "40000", MISHAP_EVENTS, false, "watches",
	"\"fault\":\"end\"\n\"fault\":\"end\",\"forMs\":%s", MS + CUT_FOR_LONG),
    PLAN("watch-twice", "", MISHAP_EVENTS, false, "watches",
	"\"fault\":\"duplicate\"", SOON),
    PLAN("watch-away", "25000", MISHAP_EVENTS, false, "watches",
	"\"fault\":\"cut\"\n\"code\":503,\"forMs\":%s", MS + CUT_FOR_LONG),
    PLAN("watch-denied", "40000", MISHAP_EVENTS, false, "watches",
	"\"fault\":\"cut\"\n\"code\":403,\"forMs\":%s", MS + DENIED_FOR_LONG),
    PLAN("watch-gone", "40000", MISHAP_EVENTS, false, "watches",
	"\"code\":410\n\"code\":410,\"forMs\":%s", MS + FAILED_FOR_LONG),
    PLAN("watch-dead", "25000", MISHAP_EVENTS, false, "watches",
	"\"fault\":\"cut\"\n\"fault\":\"cut\",\"forMs\":%s", MS + CUT_FOR_LONG),
    PLAN("watch-lost", "25000", MISHAP_EVENTS, false, "watches",
	"\"fault\":\"cut\"\n\"code\":503,\"forMs\":%s\n"
	"\"fault\":\"compact\"",
	MS + CUT_FOR_LONG),
    PLAN("stale", "3", MISHAP_LISTS, false, "watches",
	"\"fault\":\"stale\",\"versions\":%s", SOON),
    PLAN("compact", "", ALL, false, "watches", "\"fault\":\"compact\"", SOON),
    /* processes */
    ACT("kill",
	"kwatch|ireconcile|evaluator|kapply|kstatus|kpipe|kelect|ireconcile:2|"
	"kapply:2",
	ALL, MISHAP_KILL, "processes killed", S + KILLED),
    ACT("stop",
	"kwatch|ireconcile|kapply|kstatus|kpipe|kwatch:20|ireconcile:20|"
	"kapply:20|kelect:20|instance:60",
	ALL, MISHAP_STOP, "processes stopped", S + 3 + SOON),
    ACT("stop-at-end", "kwatch|ireconcile|kapply|kstatus", MISHAP_WATCHES,
	MISHAP_STOP_AT_END, "processes stopped", SOON),
    ACT("stop-all", "30", ALL, MISHAP_FREEZE, "processes stopped", S + SOON),
    ACT("starve", "kwatch|ireconcile|kapply|kstatus", ALL, MISHAP_STARVE,
	"out of memory", KILLED),
    ACT("update", "", ALL, MISHAP_END, "operator restarted", KILLED),
    ACT("update-slow", "2000", MISHAP_WRITES, MISHAP_END, "operator restarted",
	MS + KILLED),
    /* Of the watches of the one that starts, this one is late. */
    {"update-blind", "1|2|3", MISHAP_BREAK, MISHAP_WRITES, true, MISHAP_END,
	"operator restarted",
	"\"userAgent\":\"kwatch/*\",\"verb\":\"watch\",\"nth\":%s,"
	"\"fault\":\"hold\",\"delayMs\":40000",
	NULL, 40 + SOON + KILLED},
    /* The one that knows less may write its status last. */
    ACT_BUT("beside", "20", MISHAP_WRITES, MISHAP_BESIDE, "two instances",
	"claim", S + KILLED),
    ACT("steal", "0|5000", MISHAP_LEASES, MISHAP_STEAL, "lease", NEVER),
    ACT("part", "40000", MISHAP_LEASES, MISHAP_PART, "lease", NEVER),
    /* lines between stages */
    LINE("line-twice", "", MISHAP_LINE_TWICE, SOON),
    LINE("line-hold", "5000|30000", MISHAP_LINE_HOLD, MS + SOON),
    LINE("line-cut", "", MISHAP_LINE_CUT, KILLED),
    /* the server, and the cluster */
    ACT("restart", "", ALL, MISHAP_RESTART, "server restarted", SOON),
    /* A stage may say and do what was right before; the history has a gap. */
    ACT_BUT("restore", "", MISHAP_WRITES, MISHAP_RESTORE, "server restored",
	"claim twice author lease finalizer", KILLED),
    /* The time of a lease may be over by then. */
    ACT_BUT("late", "3000|20000|50000", MISHAP_WRITES, MISHAP_LATE, "done late",
	"lease", MS + SOON),
    ACT("slow-cluster", "30", MISHAP_WRITES, MISHAP_SLOW, "slow controllers",
	S + SOON),
    /* the clock */
    /* Rules of an author about times may not hold. */
    ACT_BUT(
	"jump", "3600|-3600", ALL, MISHAP_JUMP, "clock", "author", S + SOON),
    ACT_BUT(
	"suspend", "600", ALL, MISHAP_SUSPEND, "clock", "silence", S + SOON),
    /* another client at the worst moment */
    ACT("touch", "", ONE, MISHAP_TOUCH, "another client", 5 + IGNORED),
    ACT("delete", "", ONE, MISHAP_DELETE, "another client", IGNORED),
    ACT("finalizer", "", ONE, MISHAP_HOLD, "another client", 40 + IGNORED),
    ACT_BUT(
	"gone", "", ONE, MISHAP_GONE, "another client", "end expect", IGNORED),
    /* A failure for good is repeated with the reminders. */
    ACT_BUT("usurp", "", ONE, MISHAP_USURP, "another client", "end expect late",
	IGNORED),
    /* It belongs to nobody then, so its owner may go before it. */
    ACT_BUT("disown", "", ONE, MISHAP_DISOWN, "another client",
	"end expect late finalizer silence", IGNORED),
    /* The next step of the scenario, if it is about a primary. */
    ACT_BUT("next", "", ONE, MISHAP_NEXT, "another client", "late", IGNORED),
    {NULL, NULL, 0, 0, false, 0, NULL, NULL, NULL, 0}};

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

const struct mishap_kind *
mishap_kind(struct span name)
{
	for (const struct mishap_kind *k = mishap_kinds; k->name != NULL; k++)
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
    struct arena *a, struct span text, struct mishap_point *p, struct err *err)
{
	struct span numbers = text, event, rest;

	*p = (struct mishap_point){.nth = 1};
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
	if (span_is(p->verb, "line"))
		return 0;
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

/* An argument is a number, or one of those that are tried. */
static int
check_arg(const struct mishap *f, struct err *err)
{
	struct span args = span_str(f->kind->args), rest, digits = f->arg;

	if (f->after && !f->kind->both)
		return err_set(err, ERR_PERMANENT,
		    "%s is not there with -after", f->kind->name);
	if (f->arg.n == 0)
		return 0;
	if (span_digits(span_skip(args, *args.p == '-')) > 0) {
		span_take(&digits, "-");
		return digits.n < 10 && span_is_digits(digits)
		    ? 0
		    : err_set(err, ERR_PERMANENT, "\"%.*s\" is not a number",
			  SPAN_ARG(f->arg));
	}
	for (rest = args; rest.p != NULL;)
		if (span_eq(span_cut(&rest, '|'), f->arg))
			return 0;
	return err_set(err, ERR_PERMANENT, "\"%.*s\" is not one of %s",
	    SPAN_ARG(f->arg), f->kind->args);
}

static int
check_one_of(const char *what, struct span text, const char *const *words,
    struct err *err)
{
	struct buf b = BUF_INIT;

	if (span_is_one_of(text, words))
		return 0;
	for (const char *const *w = words; *w != NULL; w++)
		buf_addf(&b, " %s", *w);
	err_set(err, ERR_PERMANENT, "no %s is called \"%.*s\": write one of%s",
	    what, SPAN_ARG(text), buf_str(&b));
	buf_release(&b);
	return -1;
}

/* Whether it can happen there. */
static int
check_point(const struct mishap *f, struct err *err)
{
	static const char *const stages[] = {
	    "kwatch", "kapply", "kstatus", "kelect", "kpipe", NULL};
	static const char *const writers[] = {
	    "kwatch", "ireconcile", "kapply", NULL};
	static const char *const verbs[] = {"get", "list", "watch", "create",
	    "update", "patch", "delete", "deletecollection", "GET", "line",
	    NULL};
	bool line = span_is(f->at.verb, "line");
	unsigned events = MISHAP_EVENTS | MISHAP_LINES;

	if (check_one_of("verb", f->at.verb, verbs, err) != 0 ||
	    check_one_of("stage", f->at.stage, line ? writers : stages, err) !=
		0)
		return -1;
	if (line != (f->kind->where == MISHAP_LINES))
		return err_set(err, ERR_PERMANENT, "%s is a fault of a %s",
		    f->kind->name, line ? "request" : "line: STAGE/line!N");
	if (((f->kind->where & events) != 0) != (f->at.event > 0))
		return err_set(err, ERR_PERMANENT, "%s %s", f->kind->name,
		    f->at.event > 0 ? "has no event: leave out !N"
				    : "needs the number of an event: !N");
	if (f->kind->where == MISHAP_EVENTS && !span_is(f->at.verb, "watch"))
		return err_set(err, ERR_PERMANENT, "%s is a fault of a watch",
		    f->kind->name);
	return 0;
}

int
mishap_read(
    struct arena *a, struct span text, struct mishap *f, struct err *err)
{
	struct span at = text, what = span_cut(&at, '@'), name;

	*f = (struct mishap){0};
	name = what;
	f->kind = mishap_kind(name);
	if (f->kind == NULL) {
		f->after = takes_off(&what, "-after");
		name = span_cut(&what, ':');
		f->arg = kept(a, what);
		f->kind = mishap_kind(name);
	}
	if (f->kind == NULL)
		return err_set(err, ERR_PERMANENT,
		    "\"%.*s\": no fault is called \"%.*s\": see ktorture(1)",
		    SPAN_ARG(text), SPAN_ARG(name));
	if ((f->kind->args[0] != '\0') != (f->arg.n > 0))
		return err_set(err, ERR_PERMANENT, "\"%.*s\": %s %s",
		    SPAN_ARG(text), f->kind->name,
		    f->kind->args[0] != '\0' ? "needs an argument"
					     : "takes no argument");
	if (at.n == 0)
		return err_set(err, ERR_PERMANENT,
		    "\"%.*s\": where it happens is missing: FAULT@POINT",
		    SPAN_ARG(text));
	if (read_point(a, at, &f->at, err) != 0 || check_arg(f, err) != 0 ||
	    check_point(f, err) != 0)
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
mishap_print(const struct mishap *f, struct buf *b)
{
	const struct mishap_point *p = &f->at;

	buf_adds(b, f->kind->name);
	if (f->arg.n > 0)
		buf_addf(b, ":%.*s", SPAN_ARG(f->arg));
	if (f->after)
		buf_adds(b, "-after");
	buf_addf(b, "@%.*s/%.*s", SPAN_ARG(p->stage), SPAN_ARG(p->verb));
	if (p->resource.n > 0)
		buf_addf(b, "/%.*s", SPAN_ARG(p->resource));
	if (p->namespace_.n > 0 || p->name.n > 0) {
		add_part(b, p->namespace_);
		add_part(b, p->name);
	}
	if (p->event > 0)
		buf_addf(b, "!%u", p->event);
	if (p->nth != 1)
		buf_addf(b, "#%u", p->nth);
}

static unsigned
frozen_s(struct span verb)
{
	unsigned s = span_is(verb, "watch") ? 120
	    : span_is(verb, "list")	    ? 75
					    : 40;

	return s + SOON;
}

int64_t
mishap_due_ms(const struct mishap *f)
{
	/* "40000", or "kapply:20" */
	struct span arg_of = f->arg, first = span_cut(&arg_of, ':');
	const char *digits = arg_of.n > 0 ? arg_of.p : first.p;
	unsigned due = f->kind->due, s = due % MS;
	int64_t arg = due >= MS ? strtoll(digits, NULL, 10) : 0;

	if (s == NEVER || arg < 0)
		return -1;
	if (s == FROZEN)
		s = frozen_s(f->at.verb);
	/* A look that fails is repeated with the next line. */
	if (s < IGNORED && span_is(f->at.verb, "get"))
		s = IGNORED;
	return arg * (due & S ? 1000 : 1) + s * INT64_C(1000);
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

static void
add_members(struct buf *b, struct span members, struct span arg)
{
	const char *at = memmem(members.p, members.n, "%s", 2);

	if (at == NULL) {
		buf_addspan(b, members);
		return;
	}
	buf_add(b, members.p, (size_t)(at - members.p));
	buf_addspan(b, arg);
	buf_addspan(b, span_skip(members, (size_t)(at - members.p) + 2));
}

static void
add_line(const struct mishap *f, struct span members, struct buf *b)
{
	const struct mishap_point *p = &f->at;
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
	add_members(b, members, f->arg);
	buf_adds(b, "}\n");
}

void
mishap_plan(const struct mishap *f, struct buf *b)
{
	bool planned = f->kind->way == MISHAP_PLAN;
	struct span lines =
	    span_str(planned ? f->kind->plan : "\"pause\":true");
	struct mishap line = *f;

	if (f->kind->way == MISHAP_RELAY)
		return;
	do {
		add_line(&line, span_cut(&lines, '\n'), b);
		/* The same place, the next time. */
		line.at.nth = f->at.nth + 1;
		line.at.event = 0;
	} while (lines.p != NULL);
}

void
mishap_follow(const struct mishap *f, struct buf *b)
{
	if (f->kind->way != MISHAP_BREAK || f->kind->plan == NULL)
		return;
	buf_addc(b, '{');
	add_members(b, span_str(f->kind->plan), f->arg);
	buf_adds(b, "}\n");
}

static struct span
member(jv object, const char *key)
{
	struct span s = jvtext_span(jvtext_peek(object, key));

	return s.p != NULL ? s : span_str("");
}

bool
mishap_point_of(struct arena *a, jv request, struct mishap_point *p)
{
	struct span agent = member(request, "userAgent"), rest = agent;
	struct span sub = member(request, "subresource");
	struct span group = member(request, "group");
	struct buf b = BUF_INIT;

	*p = (struct mishap_point){.nth = 1};
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
mishap_point_same(const struct mishap_point *a, const struct mishap_point *b)
{
	return span_eq(a->stage, b->stage) && span_eq(a->verb, b->verb) &&
	    span_eq(a->resource, b->resource) &&
	    span_eq(a->namespace_, b->namespace_) && span_eq(a->name, b->name);
}
