#include "against.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "against/told.h"
#include "base/mem.h"
#include "decide/outcome.h"
#include "decide/reason.h"
#include "decide/line.h"
#include "hiddenreads.h"
#include "json/stream.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/loop.h"
#include "process/out.h"
#include "program/program.h"
#include "reconciler.h"
#include "report/reportfd.h"
#include "startup.h"
#include "verdict.h"
#include "requeue.h"

enum { BEFORE, AFTER, SIDES };

enum {
	/* Bytes of texts that are open between two comparisons. */
	OPEN_MAX = 256 * 1024,
	/* The real clock: reading goes first, so that events of an object come
	 * together, but not for longer than this. */
	AHEAD_MAX = 4 * 1024 * 1024,
	/* No event tells that the clock was set: it is checked this
	 * often. */
	CLOCK_LOOK_US = 10 * 1000000
};

/* A primary that one of the files has, or both. */
struct compared {
	char *label;	  /* the key of the primary, in lines */
	const char *kind; /* "Thing.example.com"; borrowed of a store */
	/* "KIND\0NAMESPACE\0NAME", because two labels may be the same if the
	 * input was not written by kwatch. */
	char *id;
	size_t id_len;
	struct buf uid; /* the uid of the object that was compared last */
	struct told_list told;
	bool pending;
	/* Whether this was so at least once. guessed: the decision may depend
	 * on hidden values. */
	bool compared, differed, guessed;
	bool differs, fails; /* now. fails: both programs fail */
};

struct against {
	struct watches *watches[SIDES];
	struct reconciler sides[SIDES];
	struct loop *loop;
	struct stream *stream;
	struct out out;
	struct proof proof; /* without a key */
	struct timer timer;
	struct reportfd report;
	enum told_format format;
	struct map primaries;	   /* by id: struct compared, owned */
	struct compared **pending; /* to be compared; borrowed */
	size_t pending_count, bad_lines;
	bool assumed, lacks; /* see assume; a kind was not in the input */
	bool eof, unreadable, refused;
	bool gone; /* the process that starts evaluations */
	/* Numbers of primaries so far. unknown: not compared at the end;
	 * guessed: decided by hidden values. */
	size_t compared, differed, unknown, guessed;
};

/* A decision, owned. */
struct taken {
	struct primary *primary; /* borrowed, or NULL */
	struct buf line;
	char *error;
};

/* ---- primaries ---- */

static struct span
id_of(const struct compared *c)
{
	return span_make(c->id, c->id_len);
}

static void
compared_free(struct compared *c)
{
	told_release(&c->told);
	buf_release(&c->uid);
	free(c->label);
	free(c->id);
	free(c);
}

/* A reconciler would evaluate p now: p is put on the list to compare. */
static void
visit(void *arg, struct primary *p)
{
	struct against *a = arg;
	const struct cache_kind *kind = p->entry->uses[0]->kind;
	struct buf label = BUF_INIT, id = BUF_INIT;
	struct compared *c;

	buf_add(&id, kind->name, strlen(kind->name) + 1);
	buf_addspan(&id, primary_key(p));
	c = map_get(&a->primaries, buf_span(&id));
	if (c == NULL) {
		cache_object_label(
		    &label, kind, span_str(p->namespace_), span_str(p->name));
		c = mem_zalloc(sizeof(*c));
		c->label = buf_take(&label);
		c->kind = kind->name;
		c->id_len = id.len;
		c->id = buf_take(&id);
		map_put(&a->primaries, id_of(c), c);
	}
	buf_release(&id);
	if (c->pending)
		return;
	c->pending = true;
	a->pending =
	    mem_grow(a->pending, a->pending_count, sizeof(*a->pending));
	a->pending[a->pending_count++] = c;
}

static struct entry *
entry_of(const struct reconciler *r, const char *kind)
{
	for (size_t i = 0; i < r->es.count; i++)
		if (strcmp(r->es.items[i]->uses[0]->kind->name, kind) == 0)
			return r->es.items[i];
	return NULL;
}

/* *p becomes the primary; NULL: r has none. False: not known yet. */
static bool
look_up(
    const struct reconciler *r, const struct compared *c, struct primary **p)
{
	const struct entry *e = entry_of(r, c->kind);
	struct span key = span_skip(id_of(c), strlen(c->kind) + 1);

	*p = NULL;
	if (e == NULL)
		return true;
	if (!entry_knows(e, span_str(key.p)))
		return false;
	*p = map_get(&e->primaries, key);
	if (*p != NULL && (*p)->object == NULL)
		*p = NULL;
	return true;
}

/* ---- one comparison ---- */

static void
take(struct reconciler *r, struct taken *t, int64_t now_us)
{
	struct cost cost =
	    cost_begin(r->sched.clock == SCHED_INPUT ? COST_NO_TIME
						     : COST_PROGRAMS_AND_OURS);
	struct decision d;
	bool over;

	decide(t->primary, now_us, DECIDE_ANYWAY, &d);
	line_add(&t->line, t->primary, &d);
	if (d.failed)
		t->error = mem_strdup(d.error);
	else if (t->line.len >= STREAM_WRITE_MAX)
		t->error = mem_strdup("the desired set is too long for a line");
	if (t->line.len >= STREAM_WRITE_MAX)
		buf_reset(&t->line);
	cost_end(&cost);
	requeue_set(&r->sched, t->primary, &d, LINE_NOTHING, cost.cpu_us);
	over = d.over;
	outcome_release(&d);
	if (over)
		entries_drop(&r->es, t->primary->object);
}

/* Counts a primary once. */
static void
count_first(size_t *count, bool *was, bool is)
{
	*count += is && !*was;
	*was = *was || is;
}

static void
count_compared(struct against *a, const char *kind)
{
	struct entry *e = entry_of(&a->sides[BEFORE], kind);

	if (e == NULL)
		e = entry_of(&a->sides[AFTER], kind);
	if (e != NULL)
		e->stats.compared++;
}

/* Prints what differs in what was decided, or, if s is NULL, that the primary
 * is gone. */
static void
print(struct against *a, struct compared *c, const struct setdiff *s,
    int64_t now_us)
{
	char time[CLOCK_RFC3339_MAX];
	bool timed = a->sides[BEFORE].sched.clock == SCHED_INPUT && now_us > 0;
	struct told_about about = {
	    c->label, buf_span(&c->uid), timed ? time : NULL};
	struct buf *b = out_buf(&a->out);
	size_t before = b->len;

	if (timed)
		clock_format_us(now_us, time);
	if (s != NULL)
		told_update(&c->told, s, a->format, &about, b);
	else
		told_gone(&c->told, a->format, &about, b);
	if (b->len == before)
		return;
	out_added(&a->out);
	if (out_full(&a->out))
		out_drain(&a->out);
}

static void
differ(struct against *a, struct compared *c, const struct taken taken[SIDES],
    bool hide, int64_t now_us)
{
	struct setdiff_side sides[SIDES];
	struct setdiff s;

	for (size_t i = 0; i < SIDES; i++)
		sides[i] = (struct setdiff_side){taken[i].primary != NULL,
		    taken[i].error, buf_span(&taken[i].line)};
	setdiff_make(&s, c->label, &sides[BEFORE], &sides[AFTER], hide);
	count_compared(a, c->kind);
	c->differs = setdiff_differing(&s) > 0;
	c->fails = taken[BEFORE].error != NULL && taken[AFTER].error != NULL;
	count_first(&a->compared, &c->compared, !c->fails || c->differs);
	count_first(&a->differed, &c->differed, c->differs);
	print(a, c, &s, now_us);
	setdiff_release(&s);
}

/* False: it is not known yet what one of them has. */
static bool
compare(struct against *a, struct compared *c)
{
	struct taken taken[SIDES] = {{.primary = NULL}};
	int64_t now_us = sched_now_us(&a->sides[BEFORE].sched);
	bool rests = false, hide = false, guessed = false;
	const struct primary *any = NULL;

	for (size_t i = 0; i < SIDES; i++)
		if (!look_up(&a->sides[i], c, &taken[i].primary))
			return false;
	c->pending = false;
	for (size_t i = 0; i < SIDES; i++) {
		struct primary *p = taken[i].primary;

		if (p == NULL)
			continue;
		any = any != NULL ? any : p;
		/* The program ran into a limit a moment ago. (A paused primary
		 * is compared: it will not stay paused.) */
		rests = rests || requeue_back_off(&a->sides[i].sched, p);
		hide = hide || reason_sees_secrets(p->entry);
	}
	if (any == NULL) {
		print(a, c, NULL, now_us);
		a->unknown += !c->compared;
		map_del(&a->primaries, id_of(c));
		compared_free(c);
		return true;
	}
	if (rests)
		return true;
	/* Equal decisions may differ with the values that the input hides. */
	for (size_t i = 0; i < SIDES; i++)
		guessed = guessed ||
		    (taken[i].primary != NULL && hiddenreads(taken[i].primary));
	count_first(&a->guessed, &c->guessed, guessed);
	buf_reset(&c->uid);
	buf_addspan(&c->uid, cache_object_uid(any->object));
	for (size_t i = 0; i < SIDES; i++)
		if (taken[i].primary != NULL)
			take(&a->sides[i], &taken[i], now_us);
	if (program_alive())
		differ(a, c, taken, hide, now_us);
	for (size_t i = 0; i < SIDES; i++) {
		buf_release(&taken[i].line);
		free(taken[i].error);
	}
	return true;
}

static void
compare_pending(struct against *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < SIDES; i++)
		while (reconciler_step(&a->sides[i]))
			;
	for (size_t i = 0; i < a->pending_count; i++) {
		struct compared *c = a->pending[i];

		for (size_t j = 0; j < SIDES; j++)
			cache_rest(&a->sides[j].es.store, OPEN_MAX);
		if (!compare(a, c))
			a->pending[kept++] = c;
	}
	a->pending_count = kept;
}

/* ---- the input ---- */

/*
 * In a live stream kwatch announces every kind before the first object. So a
 * kind that only the other file has, and that was not announced by the time
 * that all of the first is complete, will not come.
 */
static void
assume(struct against *a)
{
	struct buf names = BUF_INIT;

	if (a->assumed)
		return;
	a->assumed = true;
	reconciler_assume(&a->sides[AFTER], &a->sides[BEFORE].es.store, &names);
	a->lacks = names.len > 0;
	if (a->lacks)
		log_warning("the input does not have these kinds, which only "
			    "the file of --against reads: decisions are made "
			    "as if there were no objects of them: %s",
		    buf_str(&names));
	buf_release(&names);
}

/* The earliest time set in either, in ticks; 0: none. */
static int64_t
next_timer(const struct against *a)
{
	int64_t first = sched_next(&a->sides[BEFORE].sched);
	int64_t other = sched_next(&a->sides[AFTER].sched);

	return first == 0 || (other != 0 && other < first) ? other : first;
}

/* Moves the clock of the input: timers fire in order, so that both decide at
 * the same times. */
static void
advance(struct against *a, int64_t us)
{
	int64_t due;

	while ((due = next_timer(a)) != 0 && due <= us) {
		for (size_t i = 0; i < SIDES; i++)
			reconciler_advance(&a->sides[i], due);
		compare_pending(a);
	}
	for (size_t i = 0; i < SIDES; i++)
		reconciler_advance(&a->sides[i], us);
}

/* By the clock of the input, all that a document causes is compared. */
static void
document(struct against *a, const struct stream_doc *doc)
{
	struct reconciler *before = &a->sides[BEFORE];
	bool by_input = before->sched.clock == SCHED_INPUT;
	struct event event = entry_parse_event(doc->text);
	struct err err = ERR_INIT, same = ERR_INIT;
	int rc;

	if (by_input && event.time_us >= 0)
		advance(a, event.time_us);
	rc = reconciler_document(before, &event, &err);
	reconciler_document(&a->sides[AFTER], &event, &same);
	if (before->ready)
		assume(a);
	if (by_input)
		compare_pending(a);
	if (rc == 0)
		return;
	a->bad_lines++;
	if (reconciler_say_bad(doc->line, &err)) {
		a->refused = true;
		loop_stop(a->loop);
	}
}

static void
documents(struct against *a)
{
	struct stream_doc doc;

	while (!a->refused) {
		switch (stream_next(a->stream, &doc)) {
		case STREAM_DOC:
			document(a, &doc);
			break;
		case STREAM_BAD:
			a->bad_lines++;
			log_error("%s", doc.err.message);
			break;
		default:
			return;
		}
	}
}

/* ---- the end ---- */

/* A primary without a comparison is not known to agree. */
static void
say_unknown(const struct against *a)
{
	const struct entries *es = &a->sides[BEFORE].es;

	for (size_t i = 0; i < es->count; i++) {
		const struct entry *e = es->items[i];

		if (e->stats.compared == 0)
			log_warning("no primary of %s was compared: %s",
			    e->conf->name,
			    e->primaries.count == 0
				? "the input has none"
				: "nothing is decided about those of the "
				  "input");
	}
	if (a->guessed > 0)
		log_warning("primaries of which it is not known whether they "
			    "differ, because a program looks into values that "
			    "the input hides: %zu; record them with kwatch "
			    "--show-secrets, of values that may be shown",
		    a->guessed);
	if (a->unknown > 0)
		log_warning("primaries that were not compared, because both "
			    "programs fail: %zu",
		    a->unknown);
}

/* The rest of the kinds is complete. */
static void
end_of_input(struct against *a)
{
	struct reconciler *before = &a->sides[BEFORE];
	struct reconciler *after = &a->sides[AFTER];
	const struct compared *c;

	a->eof = true;
	loop_unwatch(a->loop, STDIN_FILENO);
	reconciler_say_gaps(before->counters.gaps);
	reconciler_end_of_input(before, false);
	after->second = before->incomplete;
	assume(a);
	reconciler_end_of_input(after, false);
	compare_pending(a);
	/* A primary counts as unknown if both programs still fail at the end:
	 * then neither changes anything. */
	for (size_t i = 0; (c = map_next(&a->primaries, &i)) != NULL;)
		a->unknown += c->fails || !c->compared;
	say_unknown(a);
	log_info("primaries compared: %zu, of which differed: %zu", a->compared,
	    a->differed);
}

/* Without a difference the answer is unknown if something was not compared, not
 * all the time, or not with the whole input. */
static int
exit_code(const struct against *a)
{
	bool unknown =
	    a->unknown > 0 || a->guessed > 0 || a->compared == 0 || a->lacks;

	if (a->refused)
		return EXIT_PERMANENT;
	if (a->gone || (a->out.failed && a->out.err.kind != ERR_GONE))
		return EXIT_TRANSIENT;
	if (a->out.failed || a->differed > 0)
		return VERDICT_NO;
	for (size_t i = 0; i < SIDES; i++)
		unknown = unknown || a->sides[i].incomplete ||
		    a->sides[i].es.failures + a->sides[i].counters.gaps > 0;
	return unknown || a->unreadable || a->bad_lines > 0 ? VERDICT_UNKNOWN
							    : VERDICT_YES;
}

/* ---- events of the loop ---- */

static void
on_input(void *arg, int fd, int events)
{
	struct against *a = arg;
	struct pollfd pfd = {fd, POLLIN, 0};
	struct err err = ERR_INIT;
	size_t ahead = 0;

	(void)events;
	while (!a->eof && ahead < AHEAD_MAX && poll(&pfd, 1, 0) > 0) {
		long n = stream_read(a->stream, fd, &err);

		if (n < 0 && err.kind == ERR_TRANSIENT)
			return;
		documents(a);
		if (a->refused)
			return;
		if (n < 0) {
			log_error("cannot read the input: %s", err.message);
			a->unreadable = true;
		}
		if (n <= 0)
			end_of_input(a);
		else
			ahead += (size_t)n;
	}
}

static void
on_timer(void *arg)
{
	struct against *a = arg;

	for (size_t i = 0; i < SIDES; i++) {
		reconciler_clock(&a->sides[i]);
		reconciler_timers(&a->sides[i]);
	}
}

/* Before each wait. */
static void
on_idle(void *arg)
{
	struct against *a = arg;
	const struct sched *s = &a->sides[BEFORE].sched;
	int64_t due, latest;

	compare_pending(a);
	evaluator_roam();
	for (size_t i = 0; i < SIDES; i++)
		reconciler_rest(&a->sides[i]);
	out_flush(&a->out);
	due = next_timer(a);
	latest = sched_ticks(s) + CLOCK_LOOK_US;
	if (s->clock == SCHED_INPUT || due == 0)
		loop_cancel(a->loop, &a->timer);
	else
		loop_at(a->loop, &a->timer,
		    (uint64_t)((due < latest ? due : latest) + 999) / 1000,
		    on_timer, a);
	if (!a->report.ready && a->sides[BEFORE].ready &&
	    a->sides[AFTER].ready) {
		reportfd_ready(&a->report);
		reportfd_send(&a->report);
	}
	if (a->eof && !a->out.failed)
		out_drain(&a->out);
	if (a->out.failed)
		log_error("%s", a->out.err.message);
	if (a->eof || a->out.failed)
		loop_stop(a->loop);
}

static void
on_evaluator(void *arg, int fd, int events)
{
	struct against *a = arg;

	(void)events;
	if (evaluator_look())
		return;
	loop_unwatch(a->loop, fd);
	log_fatal("the process that starts evaluations is gone");
	a->gone = true;
	loop_stop(a->loop);
}

/* ---- reports ---- */

static void
count(void *arg, struct buf *b)
{
	const struct against *a = arg;

	reportfd_count(b, "bad_lines", a->bad_lines);
	reportfd_count(b, "compared", a->compared);
	reportfd_count(b, "differed", a->differed);
}

/* Metrics by controller: primaries that differ now, primaries for which both
 * programs fail, and comparisons. An entry that both files have is told
 * once. */
static void
samples(void *arg, struct metric_lines *m)
{
	const struct against *a = arg;

	for (size_t side = 0; side < SIDES; side++)
		for (size_t i = 0; i < a->sides[side].es.count; i++) {
			const struct entry *e = a->sides[side].es.items[i];
			const char *kind = e->uses[0]->kind->name;
			const struct metric_labels *by =
			    METRIC_LABELS(e->conf->name);
			const struct compared *c;
			size_t differ = 0, fail = 0;

			if (side != BEFORE &&
			    entry_of(&a->sides[BEFORE], kind) != NULL)
				continue;
			for (size_t j = 0;
			     (c = map_next(&a->primaries, &j)) != NULL;)
				if (strcmp(c->kind, kind) == 0) {
					differ += c->differs;
					fail += c->fails;
				}
			metric_add(
			    m, METRIC_SHADOW_DIFFERENCES, by, (double)differ);
			metric_add(m, METRIC_SHADOW_FAILURES, by, (double)fail);
			metric_add(m, METRIC_SHADOW_COMPARED, by,
			    (double)e->stats.compared);
		}
}

/* ---- start and end ---- */

static void
say_alone(const struct watches *one, const struct watches *other)
{
	for (size_t i = 0; i < one->count; i++) {
		const struct watch_entry *e = &one->entries[i];
		bool found = false;

		for (size_t j = 0; j < other->count && !found; j++)
			found = strcmp(e->name, other->entries[j].name) == 0;
		if (!found)
			log_warning("%s:%d: %s is not in %s: there is nothing "
				    "to compare it with",
			    e->path, e->line, e->name, other->path);
	}
}

static int
compile(struct against *a, const struct against_options *o, struct err *err)
{
	struct textlist dirs;
	int rc = 0;

	startup_library_dirs(&dirs, o->library_dirs);
	for (size_t i = 0; i < SIDES && rc == 0; i++) {
		struct reconciler *r = &a->sides[i];

		r->sched.clock = o->clock;
		r->es.proof = &a->proof;
		r->es.debugs = o->debugs;
		r->es.instances = o->instances;
		r->visit = visit;
		r->visit_arg = a;
		r->gate_open = true;
		r->silent = true;
		r->es.keeps_gone = true;
		rc = reconciler_init(r, a->watches[i],
		    (const char *const *)dirs.items, &a->out, err);
	}
	textlist_release(&dirs);
	return rc;
}

/* Does everything that needs a file, then enters the sandboxes. */
static int
start(struct against *a, const struct against_options *o, struct err *err)
{
	const char *const paths[] = {o->before, o->after};

	for (size_t i = 0; i < SIDES; i++) {
		a->watches[i] = watches_load(paths[i], &o->scope, err);
		if (a->watches[i] == NULL)
			return -1;
	}
	program_init();
	a->loop = loop_new();
	reportfd_init(
	    &a->report, a->loop, "ireconcile", o->report_fd, count, a);
	reportfd_metrics(&a->report, samples);
	a->stream = stream_new();
	out_init(&a->out, a->loop, STDOUT_FILENO);
	a->proof.replays = true;
	a->format = o->format >= 0  ? (enum told_format)o->format
	    : isatty(STDOUT_FILENO) ? TOLD_TEXT
				    : TOLD_JSON;
	if (compile(a, o, err) != 0)
		return -1;
	say_alone(a->watches[BEFORE], a->watches[AFTER]);
	say_alone(a->watches[AFTER], a->watches[BEFORE]);
	if (startup_confine_programs(err) != 0)
		return -1;
	loop_watch(a->loop, evaluator_fd(), LOOP_READ, on_evaluator, a);
	loop_watch(a->loop, STDIN_FILENO, LOOP_READ, on_input, a);
	loop_idle(a->loop, on_idle, a);
	return startup_confine_self(err);
}

/* Also called after a start that failed: members not made yet are NULL. */
static void
release(struct against *a)
{
	struct compared *c;

	for (size_t i = 0; (c = map_next(&a->primaries, &i)) != NULL;)
		compared_free(c);
	map_release(&a->primaries);
	free(a->pending);
	for (size_t i = 0; i < SIDES; i++)
		reconciler_release(&a->sides[i]);
	proof_release(&a->proof);
	if (a->loop != NULL) {
		reportfd_release(&a->report);
		out_release(&a->out);
		stream_free(a->stream);
		loop_free(a->loop);
	}
	for (size_t i = 0; i < SIDES; i++)
		watches_free(a->watches[i]);
}

int
against_run(const struct against_options *o, struct err *err)
{
	struct against a = {.eof = false};
	int code = -1;

	if (start(&a, o, err) == 0) {
		loop_run(a.loop);
		reportfd_send(&a.report);
		code = exit_code(&a);
	}
	release(&a);
	return code;
}
