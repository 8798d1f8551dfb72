#include "against.h"

#include <stdlib.h>
#include <string.h>

#include "against/told.h"
#include "base/mem.h"
#include "decide/outcome.h"
#include "decide/reason.h"
#include "decide/spell.h"
#include "hiddenreads.h"
#include "json/stream.h"
#include "process/clock.h"
#include "process/log.h"
#include "program/cost.h"
#include "state/events.h"
#include "wakes.h"

/* Bytes of texts that are open between two comparisons. */
enum { REST_ABOVE = 256 * 1024 };

struct against_primary {
	char *label;	  /* its key in lines */
	const char *kind; /* "Thing.example.com"; borrowed of a store */
	/* "KIND\0NAMESPACE\0NAME": in an input by another hand two labels may
	 * be the same. */
	char *id;
	size_t id_len;
	struct buf uid; /* of the object that was compared last */
	struct told_list told;
	bool pending;
	bool compared, differed; /* at least once */
	bool guessed;		 /* the same, of values that are hidden */
	bool differs, fails;	 /* now; both programs fail */
};

/* A decision, owned. */
struct taken {
	struct primary *primary; /* borrowed, or NULL */
	struct buf line;
	char *error;
};

/* ---- primaries ---- */

static void
forget(struct against_primary *p)
{
	told_release(&p->told);
	buf_release(&p->uid);
	free(p->label);
	free(p->id);
	free(p);
}

static struct span
id_of(const struct against_primary *p)
{
	return span_make(p->id, p->id_len);
}

static struct against_primary *
find(struct against *a, const struct primary *p)
{
	const struct cache_kind *kind = p->entry->uses[0]->kind;
	struct against_primary *found;
	struct buf label = BUF_INIT, id = BUF_INIT;

	buf_add(&id, kind->name, strlen(kind->name) + 1);
	buf_addspan(&id, primary_key(p));
	found = map_get(&a->primaries, buf_span(&id));
	if (found == NULL) {
		cache_object_label(
		    &label, kind, span_str(p->namespace_), span_str(p->name));
		found = mem_zalloc(sizeof(*found));
		found->label = buf_take(&label);
		found->kind = kind->name;
		found->id_len = id.len;
		found->id = buf_take(&id);
		map_put(&a->primaries, id_of(found), found);
	}
	buf_release(&id);
	return found;
}

/* Of one of the reconcilers: it would be evaluated now. */
static void
visit(void *arg, struct primary *p)
{
	struct against *a = arg;
	struct against_primary *mine = find(a, p);

	if (mine->pending)
		return;
	mine->pending = true;
	a->pending =
	    mem_grow(a->pending, a->pending_count, sizeof(*a->pending));
	a->pending[a->pending_count++] = mine;
}

static struct entry *
entry_of(const struct reconciler *r, const char *kind)
{
	for (size_t i = 0; i < r->es.count; i++)
		if (strcmp(r->es.items[i]->uses[0]->kind->name, kind) == 0)
			return r->es.items[i];
	return NULL;
}

static void
count_compared(struct against *a, const char *kind)
{
	struct entry *e = entry_of(&a->sides[AGAINST_BEFORE], kind);

	if (e == NULL)
		e = entry_of(&a->sides[AGAINST_AFTER], kind);
	if (e != NULL)
		e->stats.compared++;
}

/* NULL: it is not there. False: that cannot be told yet. */
static bool
look_up(const struct reconciler *r, const struct against_primary *mine,
    struct primary **p)
{
	const struct entry *e = entry_of(r, mine->kind);
	struct span key = span_skip(id_of(mine), strlen(mine->kind) + 1);

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

	decide(t->primary, now_us, DECIDE_ALL, &d);
	spell_line(&t->line, t->primary, &d);
	if (d.failed)
		t->error = mem_strdup(d.error);
	else if (t->line.len >= STREAM_WRITE_MAX)
		t->error = mem_strdup("the desired set is too long for a line");
	if (t->line.len >= STREAM_WRITE_MAX)
		buf_reset(&t->line);
	cost_end(&cost);
	wakes_set(&r->sched, t->primary, &d, LINE_NOTHING, cost.cpu_us);
	if (d.over) {
		outcome_release(&d);
		entries_drop(&r->es, t->primary->object);
		return;
	}
	outcome_release(&d);
}

/* Writes lines, and before them which primary they are about. */
static void
print(struct against *a, const struct telling_about *about, struct buf *lines)
{
	if (lines->len == 0)
		return;
	telling_begin(out_buf(a->out), a->format, about);
	buf_addspan(out_buf(a->out), buf_span(lines));
	out_added(a->out);
	if (out_full(a->out))
		out_drain(a->out);
}

static struct telling_about
about_now(const struct against *a, const struct against_primary *mine,
    int64_t now_us, char time[CLOCK_RFC3339_MAX])
{
	bool known = a->sides[0].sched.clock == SCHED_INPUT && now_us > 0;

	if (known)
		clock_format_us(now_us, time);
	return (struct telling_about){
	    mine->label, buf_span(&mine->uid), known ? time : NULL};
}

static void
tell_all(struct against *a, struct against_primary *mine,
    const struct setdiff *s, int64_t now_us)
{
	char time[CLOCK_RFC3339_MAX];
	struct telling_about about = about_now(a, mine, now_us, time);
	struct buf lines = BUF_INIT;

	told_update(&mine->told, s, a->format, &about, &lines);
	print(a, &about, &lines);
	buf_release(&lines);
}

/* Both are gone. */
static void
leave(struct against *a, struct against_primary *mine, int64_t now_us)
{
	char time[CLOCK_RFC3339_MAX];
	struct telling_about about = about_now(a, mine, now_us, time);
	struct buf lines = BUF_INIT;

	if (mine->told.count > 0) {
		telling_gone(&lines, a->format, &about);
		print(a, &about, &lines);
		buf_release(&lines);
	}
	a->unknown += !mine->compared;
	map_del(&a->primaries, id_of(mine));
	forget(mine);
}

static bool
hides_texts(const struct taken taken[AGAINST_SIDES])
{
	bool hides = false;

	for (size_t i = 0; i < AGAINST_SIDES; i++)
		hides = hides ||
		    (taken[i].primary != NULL &&
			reason_sees_secrets(taken[i].primary->entry));
	return hides;
}

/* Counts a primary once. */
static void
count_first(size_t *count, bool *was, bool is)
{
	*count += is && !*was;
	*was = *was || is;
}

static void
differ(struct against *a, struct against_primary *mine,
    const struct taken taken[AGAINST_SIDES], bool hide, int64_t now_us)
{
	struct setdiff_side sides[AGAINST_SIDES];
	struct setdiff s;

	for (size_t i = 0; i < AGAINST_SIDES; i++)
		sides[i] = (struct setdiff_side){taken[i].primary != NULL,
		    taken[i].error, buf_span(&taken[i].line)};
	setdiff_make(&s, mine->label, &sides[AGAINST_BEFORE],
	    &sides[AGAINST_AFTER], hide);
	count_compared(a, mine->kind);
	mine->differs = setdiff_differing(&s) > 0;
	mine->fails = taken[AGAINST_BEFORE].error != NULL &&
	    taken[AGAINST_AFTER].error != NULL;
	count_first(
	    &a->compared, &mine->compared, !mine->fails || mine->differs);
	count_first(&a->differed, &mine->differed, mine->differs);
	tell_all(a, mine, &s, now_us);
	setdiff_release(&s);
}

/* Whether one of them is to be left alone: its program ran into a limit a moment
 * ago. (What is paused is compared: the release will meet it.) */
static bool
rests(struct against *a, const struct taken taken[AGAINST_SIDES])
{
	bool rest = false;

	for (size_t i = 0; i < AGAINST_SIDES; i++)
		rest = rest ||
		    (taken[i].primary != NULL &&
			wakes_back_off(&a->sides[i].sched, taken[i].primary));
	return rest;
}

/* Whether what is equal may differ with the values that the input hides. */
static bool
is_guessed(const struct taken taken[AGAINST_SIDES])
{
	bool guessed = false;

	for (size_t i = 0; i < AGAINST_SIDES; i++)
		guessed = guessed ||
		    (taken[i].primary != NULL && hiddenreads(taken[i].primary));
	return guessed;
}

static void
note_uid(struct against_primary *mine, const struct primary *p)
{
	buf_reset(&mine->uid);
	buf_addspan(&mine->uid, cache_object_uid(p->object));
}

/* False: it is not known yet what one of them has. */
static bool
compare(struct against *a, struct against_primary *mine)
{
	struct taken taken[AGAINST_SIDES] = {{.primary = NULL}};
	int64_t now_us = sched_now_us(&a->sides[0].sched);
	bool hide;

	for (size_t i = 0; i < AGAINST_SIDES; i++)
		if (!look_up(&a->sides[i], mine, &taken[i].primary))
			return false;
	mine->pending = false;
	if (taken[0].primary == NULL && taken[1].primary == NULL) {
		leave(a, mine, now_us);
		return true;
	}
	if (rests(a, taken))
		return true;
	hide = hides_texts(taken);
	count_first(&a->guessed, &mine->guessed, is_guessed(taken));
	note_uid(mine,
	    taken[0].primary != NULL ? taken[0].primary : taken[1].primary);
	for (size_t i = 0; i < AGAINST_SIDES; i++)
		if (taken[i].primary != NULL)
			take(&a->sides[i], &taken[i], now_us);
	if (program_alive())
		differ(a, mine, taken, hide, now_us);
	for (size_t i = 0; i < AGAINST_SIDES; i++) {
		buf_release(&taken[i].line);
		free(taken[i].error);
	}
	return true;
}

/* ---- the input ---- */

/*
 * Of a live stream: kwatch announces every kind before the first object. So
 * what only the other file has, and was not announced by the time that all of
 * the first is complete, will not come.
 */
static void
assume(struct against *a)
{
	struct buf names = BUF_INIT;

	if (a->assumed)
		return;
	a->assumed = true;
	reconciler_assume(&a->sides[AGAINST_AFTER],
	    &a->sides[AGAINST_BEFORE].es.store, &names);
	a->lacks = names.len > 0;
	if (a->lacks)
		log_warning("the input does not have these kinds, which only "
			    "the file of --against reads: decisions are made "
			    "as if there were no objects of them: %s",
		    buf_str(&names));
	buf_release(&names);
}

void
against_compare(struct against *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < AGAINST_SIDES; i++)
		while (reconciler_step(&a->sides[i]))
			;
	for (size_t i = 0; i < a->pending_count; i++) {
		struct against_primary *mine = a->pending[i];

		for (size_t j = 0; j < AGAINST_SIDES; j++)
			cache_rest(&a->sides[j].es.store, REST_ABOVE);
		if (!compare(a, mine))
			a->pending[kept++] = mine;
	}
	a->pending_count = kept;
}

int64_t
against_next(const struct against *a)
{
	int64_t first = sched_next(&a->sides[AGAINST_BEFORE].sched);
	int64_t other = sched_next(&a->sides[AGAINST_AFTER].sched);

	return first == 0 || (other != 0 && other < first) ? other : first;
}

/* Timers in order, so that both decide at the same times. */
static void
advance(struct against *a, int64_t us)
{
	int64_t due;

	while ((due = against_next(a)) != 0 && due <= us) {
		for (size_t i = 0; i < AGAINST_SIDES; i++)
			reconciler_advance(&a->sides[i], due);
		against_compare(a);
	}
	for (size_t i = 0; i < AGAINST_SIDES; i++)
		reconciler_advance(&a->sides[i], us);
}

int
against_document(struct against *a, struct span text, struct err *err)
{
	struct reconciler *before = &a->sides[AGAINST_BEFORE];
	bool by_input = before->sched.clock == SCHED_INPUT;
	struct event event = events_parse(text);
	struct err same = ERR_INIT;
	int rc;

	if (by_input && event.time_us >= 0)
		advance(a, event.time_us);
	rc = reconciler_document(before, &event, err);
	reconciler_document(&a->sides[AGAINST_AFTER], &event, &same);
	if (before->ready)
		assume(a);
	if (by_input)
		against_compare(a);
	return rc;
}

void
against_timers(struct against *a)
{
	for (size_t i = 0; i < AGAINST_SIDES; i++) {
		reconciler_clock(&a->sides[i]);
		reconciler_timers(&a->sides[i]);
	}
}

/*
 * Those that were never compared, or cannot be at the end. (While both fail, both
 * change nothing: what was compared afterwards was compared.)
 */
static void
count_unknown(struct against *a)
{
	const struct against_primary *p;

	for (size_t i = 0; (p = map_next(&a->primaries, &i)) != NULL;)
		a->unknown += p->fails || !p->compared;
}

/* A primary without a comparison is not known to agree. */
static void
say_unknown(const struct against *a)
{
	const struct entries *es = &a->sides[AGAINST_BEFORE].es;

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

void
against_end(struct against *a)
{
	struct reconciler *after = &a->sides[AGAINST_AFTER];

	reconciler_end_of_input(&a->sides[AGAINST_BEFORE], false);
	after->second = a->sides[AGAINST_BEFORE].incomplete;
	assume(a);
	reconciler_end_of_input(after, false);
	against_compare(a);
	count_unknown(a);
	say_unknown(a);
	log_info("primaries compared: %zu, of which differed: %zu", a->compared,
	    a->differed);
}

bool
against_ready(const struct against *a)
{
	return a->sides[AGAINST_BEFORE].ready && a->sides[AGAINST_AFTER].ready;
}

static void
count_now(
    const struct against *a, const char *kind, size_t *differ, size_t *fail)
{
	const struct against_primary *p;

	*differ = *fail = 0;
	for (size_t i = 0; (p = map_next(&a->primaries, &i)) != NULL;) {
		if (strcmp(p->kind, kind) != 0)
			continue;
		*differ += p->differs;
		*fail += p->fails;
	}
}

/* An entry that both have is told once. */
void
against_metrics(const struct against *a, struct metric_lines *m)
{
	for (size_t side = 0; side < AGAINST_SIDES; side++)
		for (size_t i = 0; i < a->sides[side].es.count; i++) {
			const struct entry *e = a->sides[side].es.items[i];
			const char *kind = e->uses[0]->kind->name;
			const struct metric_labels *by =
			    METRIC_LABELS(e->conf->name);
			size_t differ, fail;

			if (side != AGAINST_BEFORE &&
			    entry_of(&a->sides[AGAINST_BEFORE], kind) != NULL)
				continue;
			count_now(a, kind, &differ, &fail);
			metric_add(
			    m, METRIC_SHADOW_DIFFERENCES, by, (double)differ);
			metric_add(m, METRIC_SHADOW_FAILURES, by, (double)fail);
			metric_add(m, METRIC_SHADOW_COMPARED, by,
			    (double)e->stats.compared);
		}
}

int
against_verdict(const struct against *a)
{
	bool unknown =
	    a->unknown > 0 || a->guessed > 0 || a->compared == 0 || a->lacks;

	if (a->differed > 0)
		return VERDICT_NO;
	for (size_t i = 0; i < AGAINST_SIDES; i++)
		unknown = unknown || a->sides[i].incomplete ||
		    a->sides[i].es.failures + a->sides[i].counters.gaps > 0;
	return unknown ? VERDICT_UNKNOWN : VERDICT_YES;
}

/* ---- start ---- */

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

int
against_init(struct against *a,
    const struct watches *const watches[AGAINST_SIDES],
    const char *const *library_dirs, struct err *err)
{
	for (size_t i = 0; i < AGAINST_SIDES; i++) {
		struct reconciler *r = &a->sides[i];

		r->visit = visit;
		r->visit_arg = a;
		r->gate_open = true;
		r->silent = true;
		r->es.keeps_gone = true;
		if (reconciler_init(r, watches[i], library_dirs, a->out, err) !=
		    0)
			return -1;
	}
	say_alone(watches[AGAINST_BEFORE], watches[AGAINST_AFTER]);
	say_alone(watches[AGAINST_AFTER], watches[AGAINST_BEFORE]);
	return 0;
}

void
against_release(struct against *a)
{
	struct against_primary *p;

	for (size_t i = 0; (p = map_next(&a->primaries, &i)) != NULL;)
		forget(p);
	map_release(&a->primaries);
	free(a->pending);
	for (size_t i = 0; i < AGAINST_SIDES; i++)
		reconciler_release(&a->sides[i]);
}
