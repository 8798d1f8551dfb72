#include "play.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/jvtext.h"
#include "process/clock.h"
#include "upset.h"

static const int64_t ms = 1000000;

/* ---- the record ---- */

void
play_note(struct play *p, jv line)
{
	p->record = jv_array_append(p->record, line);
}

jv
play_number(int64_t n)
{
	return jv_number((double)n);
}

void
play_come(
    struct play *p, int64_t after_ns, enum coming_kind kind, jv step, pid_t pid)
{
	p->coming = mem_grow(p->coming, p->coming_count, sizeof(*p->coming));
	p->coming[p->coming_count++] =
	    (struct coming){world_now(p->w) + after_ns, kind, step, pid};
}

struct span
play_text(jv object, const char *key)
{
	return jvtext_span(jvtext_peek(object, key));
}

/* "kapply" of "kapply/VERSION (linux/amd64) kpipe"; kapi itself asks nobody. */
static struct span
asker(jv line)
{
	struct span agent = play_text(line, "userAgent");

	return agent.n > 0 ? span_cut(&agent, '/') : span_str("kapi");
}

static void
act_on_change(struct play *p, jv line)
{
	jv steps = backdrop_observe(p->backdrop,
	    jv_string_value(jvtext_peek(line, "change")),
	    jv_copy(jvtext_peek(line, "object")), world_real_us(p->w));

	jv_array_foreach(steps, i, step)
	{
		jv after = jvtext_peek(step, "afterMs");
		int64_t ns = jv_is_valid(after)
		    ? (int64_t)jv_number_value(after) * ms
		    : 0;

		if (p->slow_ns > world_now(p->w))
			ns += p->slow_ns - world_now(p->w);
		play_come(p, ns, COMING_CLUSTER, step, 0);
	}
	jv_free(steps);
}

/* ---- objects ---- */

/* "Deployment apps/v1 default/a", owned */
jv
play_key(jv object)
{
	jv metadata = jvtext_peek(object, "metadata");
	struct buf b = BUF_INIT;
	jv key;

	buf_addf(&b, "%.*s %.*s %.*s/%.*s", SPAN_ARG(play_text(object, "kind")),
	    SPAN_ARG(play_text(object, "apiVersion")),
	    SPAN_ARG(play_text(metadata, "namespace")),
	    SPAN_ARG(play_text(metadata, "name")));
	key = jv_string_sized(b.data, (int)b.len);
	buf_release(&b);
	return key;
}

bool
play_has(jv objects, jv object)
{
	return jv_object_has(jv_copy(objects), play_key(object));
}

/* ---- what was written ---- */

bool
play_is_operators(jv line)
{
	struct span by = play_text(line, "by");

	return span_is(by, "kapply") || span_is(by, "kstatus");
}

/* Takes objects, by key. */
jv
play_put(jv objects, jv line)
{
	jv object = jvtext_peek(line, "object");
	jv key = play_key(object);

	return span_is(play_text(line, "change"), "DELETED")
	    ? jv_object_delete(objects, key)
	    : jv_object_set(objects, key, jv_copy(object));
}

static void
put_state(struct play *p, jv line)
{
	jv object = jvtext_peek(line, "object");

	if (play_has(p->made, object) ||
	    (play_is_operators(line) &&
		span_is(play_text(line, "change"), "ADDED")))
		p->made = play_put(p->made, line);
	p->state = play_put(p->state, line);
	p->known = jv_object_set(p->known, play_key(object), jv_true());
}

static jv
attributed(const struct play *p, jv line)
{
	struct span by = asker(line);

	line = jv_object_set(
	    line, jv_string("by"), jv_string_sized(by.p, (int)by.n));
	return jv_object_set(line, jv_string("step"), jv_number(p->step));
}

void
play_take_change(struct play *p, jv line)
{
	if (!jv_is_valid(jvtext_peek(line, "time"))) {
		char time[CLOCK_RFC3339_MAX];

		clock_format_us(world_real_us(p->w), time);
		line = jv_object_set(line, jv_string("time"), jv_string(time));
	}
	line = attributed(p, line);
	put_state(p, line);
	act_on_change(p, line);
	play_note(p, line);
}

/* Those of kapi's plan: it names them in its own way. */
static void
note_planned(struct play *p, jv request)
{
	struct arena a = ARENA_INIT;
	struct mishap_point at;

	if (mishap_point_of(&a, request, &at))
		for (size_t i = 0; i < p->t->count; i++)
			if (p->t->faults[i].kind->way == MISHAP_PLAN &&
			    mishap_point_same(&p->t->faults[i].at, &at))
				upset_note(p, &p->t->faults[i]);
	arena_release(&a);
}

/* A leader writes its Lease for ever. */
static bool
tries_to_write(jv request)
{
	static const char *const reads[] = {"get", "list", "watch", NULL};
	struct span verb = play_text(request, "verb");

	return verb.n > 0 && !span_is_one_of(verb, reads) &&
	    !span_is(play_text(request, "resource"), "leases");
}

void
play_take_line(struct play *p, struct span raw)
{
	struct err err;
	jv line = jvtext_parse(raw, &err);

	if (!jv_is_valid(line)) {
		p->err = err;
		return;
	}
	if (jv_is_valid(jvtext_peek(line, "paused"))) {
		p->paused = jv_array_append(p->paused, line);
	} else if (jv_is_valid(jvtext_peek(line, "change"))) {
		if (!span_is(play_text(jvtext_peek(line, "object"), "kind"),
			"Lease"))
			p->written_ns = world_now(p->w);
		play_take_change(p, line);
	} else {
		if (tries_to_write(line))
			p->written_ns = world_now(p->w);
		line = attributed(p, line);
		if (jv_is_valid(jvtext_peek(line, "fault")))
			note_planned(p, line);
		play_note(p, JV_OBJECT(jv_string("request"), line));
	}
}

/* By a fault: it, or another one because of it. */
static bool
is_asked(const struct play *p, struct span stage)
{
	return span_eq(p->killed, stage) || span_is(p->killed, "kpipe") ||
	    (span_is(p->killed, "evaluator") && span_is(stage, "ireconcile"));
}

void
play_note_end(struct play *p, struct span stage, int signal, int code)
{
	jv line = JV_OBJECT(jv_string("death"),
	    jv_string_sized(stage.p, (int)stage.n), jv_string("signal"),
	    jv_number(signal), jv_string("code"), jv_number(code));

	if (is_asked(p, stage))
		line = jv_object_set(line, jv_string("asked"), jv_true());
	play_note(p, line);
}

static int
signal_of(struct span name)
{
	for (int i = 1; i < NSIG; i++)
		if (sigabbrev_np(i) != NULL && span_is(name, sigabbrev_np(i)))
			return i;
	return NSIG;
}

/* "kapply (pid 7) was killed by SIGKILL", "... ended with exit code 1" */
static void
note_death(struct play *p, struct span line)
{
	struct span rest = line, stage = span_cut(&rest, ' ');
	const char *at;

	if (!span_take(&rest, "(pid ") || (at = span_find(rest, ')')) == NULL)
		return;
	rest = span_skip(rest, (size_t)(at - rest.p) + 1);
	if (span_take(&rest, " was killed by SIG"))
		play_note_end(p, stage, signal_of(span_cut(&rest, ':')), 0);
	else if (span_take(&rest, " was killed for memory"))
		play_note_end(p, stage, SIGKILL, 0);
	else if (span_take(&rest, " ended with exit code "))
		play_note_end(p, stage, 0, (int)strtol(rest.p, NULL, 10));
}

void
play_take_log(struct play *p, struct span line)
{
	struct span rest = line, stage = span_cut(&rest, ':');

	if (rest.p == NULL)
		return;
	rest = span_trim_start(rest, " ");
	if (span_is(stage, "kpipe")) {
		struct span death = rest;

		if (!span_take(&death, "warning: "))
			span_take(&death, "error: ");
		note_death(p, death);
	}
	play_note(p,
	    JV_OBJECT(jv_string("log"), jv_string_sized(rest.p, (int)rest.n),
		jv_string("stage"), jv_string_sized(stage.p, (int)stage.n)));
}

jv
play_next(const struct play *p)
{
	return jv_array_get(jv_copy(p->t->steps), p->step);
}

void
play_begin_next(struct play *p)
{
	jv step = play_next(p);

	p->step++;
	p->written_ns = world_now(p->w);
	p->settled = false;
	play_note(p,
	    JV_OBJECT(jv_string("step"), jv_number(p->step), jv_string("do"),
		step, jv_string("time"), play_number(world_real_us(p->w))));
}

bool
play_take_lines(
    struct play *p, struct buf *b, void (*take)(struct play *, struct span))
{
	struct span rest = buf_span(b);
	const char *end;
	bool any = false;

	while ((end = span_find(rest, '\n')) != NULL) {
		take(p, span_make(rest.p, (size_t)(end - rest.p)));
		rest = span_skip(rest, (size_t)(end - rest.p) + 1);
		any = true;
	}
	buf_consume(b, b->len - rest.n);
	return any;
}
