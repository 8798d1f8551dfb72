#include "trial.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/mem.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "process/clock.h"
#include "play.h"
#include "scene/backdrop.h"
#include "scene/resolve.h"
#include "scene/scenario.h"
#include "upset.h"

static const int64_t ms = 1000000, s = 1000000000;
enum {
	TRIES_MAX = 24,
	ROUNDS_MAX = 20000 /* while time stands */
};

/* By their names, so that the n-th is the same in each play. */
static jv
values_of(jv objects)
{
	jv list = jv_array(), keys = jv_keys(jv_copy(objects));

	jv_array_foreach(keys, i, key)
	{
		list =
		    jv_array_append(list, jv_object_get(jv_copy(objects), key));
	}
	jv_free(keys);
	return list;
}

/* All that the operator had made when it was told of the primary, in a record. */
static jv
made_in(jv record)
{
	jv made = jv_object();

	jv_array_foreach(record, i, line)
	{
		bool over = jv_is_valid(jvtext_peek(line, "step")) &&
		    jv_is_valid(jvtext_peek(line, "do")) &&
		    !span_is(
			play_text(jvtext_peek(line, "do"), "do"), "create");

		if (!over && jv_is_valid(jvtext_peek(line, "change")) &&
		    (play_has(made, jvtext_peek(line, "object")) ||
			(play_is_operators(line) &&
			    span_is(play_text(line, "change"), "ADDED"))))
			made = play_put(made, line);
		jv_free(line);
		if (over)
			break;
	}
	return made;
}

/* As the server does it (RFC 7396); takes both. */
static jv
merged(jv object, jv patch)
{
	if (jv_get_kind(patch) != JV_KIND_OBJECT) {
		jv_free(object);
		return patch;
	}
	if (jv_get_kind(object) != JV_KIND_OBJECT) {
		jv_free(object);
		object = jv_object();
	}
	jv_object_foreach(patch, key, value)
	{
		jv old = jv_object_get(jv_copy(object), jv_copy(key));

		if (jv_get_kind(value) != JV_KIND_NULL) {
			object = jv_object_set(object, key, merged(old, value));
			continue;
		}
		object = jv_object_delete(object, key);
		jv_free(old);
		jv_free(value);
	}
	jv_free(patch);
	return object;
}

/* Of an object that is being deleted, and is to come again: that one is edited, or
 * does not come. False: the step is about another one. */
static bool
is_of_waiting(struct play *p, jv step)
{
	static const char *const of_meta[] = {"namespace", "name"};
	static const char *const of_object[] = {"apiVersion", "kind"};
	jv object = jvtext_peek(p->waiting, "object");
	jv patch = jvtext_peek(step, "patch");
	bool same = jv_is_valid(object);

	for (size_t i = 0; i < COUNT(of_meta) && same; i++)
		same = span_eq(play_text(step, of_meta[i]),
			   play_text(
			       jvtext_peek(object, "metadata"), of_meta[i])) &&
		    span_eq(play_text(step, of_object[i]),
			play_text(object, of_object[i]));
	if (!same)
		return false;
	if (span_is(play_text(step, "do"), "delete")) {
		jv_free(p->waiting);
		p->waiting = jv_invalid();
	} else if (jv_is_valid(patch)) {
		p->waiting = jv_object_set(p->waiting, jv_string("object"),
		    merged(jv_copy(object), jv_copy(patch)));
	}
	return true;
}

static void do_step(struct play *p, struct kapiclient *c, jv step);

/* A step that a user cannot do yet is tried again, for a while. */
static void
again(struct play *p, jv step)
{
	jv tries = jvtext_peek(step, "tries");
	double n = jv_is_valid(tries) ? jv_number_value(tries) : 0;

	if (n < TRIES_MAX)
		play_come(p, 5 * s, COMING_CLIENT,
		    jv_object_set(
			jv_copy(step), jv_string("tries"), jv_number(n + 1)),
		    0);
}

static void
do_open(struct play *p, jv step)
{
	struct span what = play_text(step, "do");
	jv made = span_is(what, "foreign") && jv_is_valid(p->t->made)
	    ? made_in(p->t->made)
	    : jv_copy(p->made);
	jv state = values_of(p->state), list = values_of(made);
	jv steps = resolve_step(step, list, state, p->t->folder->namespace_);

	jv_free(made);
	jv_free(list);
	jv_free(state);
	if (jv_array_length(jv_copy(steps)) == 0 && p->t->count > 0)
		again(p, step);
	jv_array_foreach(steps, i, one)
	{
		do_step(p, p->w->client, one);
		jv_free(one);
	}
	jv_free(steps);
}

/* The object has another uid by now, or none. */
static bool
is_void(const struct play *p, jv step)
{
	struct span uid = play_text(step, "uid"),
		    version = play_text(step, "apiVersion");
	bool found = uid.n == 0;

	jv_object_foreach(p->state, key, object)
	{
		jv m = jvtext_peek(object, "metadata");

		found = found ||
		    (span_eq(play_text(m, "uid"), uid) &&
			span_eq(play_text(object, "apiVersion"), version));
		jv_free(key);
		jv_free(object);
	}
	return !found;
}

static void
do_step(struct play *p, struct kapiclient *c, jv step)
{
	jv when = jvtext_peek(step, "whenGone");
	int status;

	if (c == p->w->client && is_of_waiting(p, step))
		return;
	if (resolve_is_open(step)) {
		do_open(p, step);
	} else if (jv_get_kind(when) == JV_KIND_TRUE &&
	    play_has(p->state, jvtext_peek(step, "object"))) {
		jv_free(p->waiting);
		p->waiting = jv_copy(step);
	} else if (!is_void(p, step)) {
		status = deed_do(p->deeds, c, step, NULL, &p->err);
		/* The server has no such kind, by a fault. */
		if (status == 0)
			p->err.kind = ERR_NONE;
		else if (status > 299 && c == p->w->cluster)
			backdrop_refused(p->backdrop, step);
		/* The one before is not gone yet. */
		else if (status == 409 && c == p->w->client)
			again(p, step);
	}
}

static bool
do_waiting(struct play *p)
{
	jv step = p->waiting;

	if (!jv_is_valid(step) ||
	    play_has(p->state, jvtext_peek(step, "object")))
		return false;
	p->waiting = jv_invalid();
	do_step(p, p->w->client, step);
	jv_free(step);
	return true;
}

/* Whether the i-th is a step at once behind the one before. */
static bool
is_at_once(const struct play *p, size_t i)
{
	return i < p->coming_count && p->coming[i].kind == COMING_CLIENT &&
	    jv_is_valid(jvtext_peek(p->coming[i].step, "then"));
}

/* Does what is due; whether anything was. */
static bool
do_due(struct play *p)
{
	int64_t now = world_now(p->w);
	bool any = false;

	for (size_t i = 0; i < p->coming_count; i++) {
		struct coming c = p->coming[i];

		if (c.due_ns > now)
			continue;
		p->coming_count--;
		memmove(&p->coming[i], &p->coming[i + 1],
		    (p->coming_count - i) * sizeof(c));
		i--;
		any = true;
		if (c.kind == COMING_GO_ON)
			kill(c.pid, SIGCONT);
		else if (c.kind == COMING_KILL)
			upset_kill(p, c.step);
		else if (c.kind == COMING_LATE)
			upset_late(p, c.step);
		else if (c.kind == COMING_PASS)
			upset_go_on(p, c.step);
		else if (c.kind == COMING_RETIRE)
			instance_retire(p, (size_t)jv_number_value(c.step));
		else
			do_step(p,
			    c.kind == COMING_CLUSTER ? p->w->cluster
						     : p->w->client,
			    c.step);
		jv_free(c.step);
		/* Its effect may come before the next. */
		if (!is_at_once(p, i + 1))
			break;
	}
	return instance_restart(p) || any;
}

static int64_t
next_due(const struct play *p, int64_t end)
{
	for (size_t i = 0; i < p->coming_count; i++)
		if (p->coming[i].due_ns < end)
			end = p->coming[i].due_ns;
	return instance_due(p, end);
}

/* When all that was done before is known: a server that goes back does not tell
 * of it. */
static void
act_on_paused(struct play *p)
{
	jv paused = p->paused;

	p->paused = jv_array();
	jv_array_foreach(paused, i, line)
	{
		upset_pause(p, line);
		jv_free(line);
	}
	jv_free(paused);
}

/* All are idle: looks at what they have done, and does what follows. */
static void
settle(struct play *p)
{
	bool more;
	int rounds = 0;

	do {
		if (++rounds > ROUNDS_MAX) {
			err_set(&p->err, ERR_BUG,
			    "the played cluster does not come to rest");
			return;
		}
		upset_look(p);
		more = play_take_lines(p, &p->w->journal, play_take_line);
		act_on_paused(p);
		play_take_lines(p, &p->w->log, play_take_log);
		instance_look(p);
		more = do_waiting(p) || do_due(p) || more;
		if (more)
			world_still(p->w);
	} while (more);
}

/* By a clock that stands while a fault has the machine sleep. */
static int64_t
awake_ns(const struct play *p)
{
	return world_now(p->w) - p->slept_ns;
}

static bool
goes_on(const struct play *p)
{
	return p->w->loop == WORLD_LOOP_NONE && p->err.kind == ERR_NONE;
}

static void
pass(struct play *p, int64_t ns)
{
	int64_t end = awake_ns(p) + ns;

	world_still(p->w);
	settle(p);
	while (goes_on(p) && awake_ns(p) < end) {
		world_step(p->w, next_due(p, end + p->slept_ns));
		settle(p);
	}
}

/* Until nothing was written for long: what is refused is tried again late. */
static void
converge(struct play *p, int64_t quiet_ms)
{
	int64_t end = awake_ns(p) + (quiet_ms + TRIAL_QUIET_MS) * ms;
	int64_t left, quiet;

	while (goes_on(p) && (left = end - awake_ns(p)) > 0 &&
	    (quiet = p->written_ns + quiet_ms * ms - world_now(p->w)) > 0)
		pass(p, quiet < left ? quiet : left);
}

/* ---- the play ---- */

static int
set_faults(struct play *p)
{
	struct buf b = BUF_INIT;
	struct span answer;
	int status;

	for (size_t i = 0; i < p->t->count; i++) {
		mishap_plan(&p->t->faults[i], &b);
		buf_addc(&b, '\n');
	}
	status = b.len == 0
	    ? 200
	    : kapiclient_ask(p->w->client, "POST", "/kapi/faults",
		  KAPICLIENT_JSON, buf_span(&b), &answer, &p->err);
	if (status > 0 && status >= 300)
		err_set(&p->err, ERR_BUG, "kapi refuses %s: %.*s", buf_str(&b),
		    SPAN_ARG(answer));
	buf_release(&b);
	return status >= 200 && status < 300 ? 0 : -1;
}

static bool
needs_saved(const struct trial *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->faults[i].kind->act == MISHAP_RESTORE)
			return true;
	return false;
}

static void
note_violation(struct play *p, const char *invariant, struct span text)
{
	play_note(p,
	    JV_OBJECT(jv_string("violation"),
		JV_OBJECT(jv_string("invariant"), jv_string(invariant),
		    jv_string("object"), jv_string(""), jv_string("text"),
		    jv_string_sized(text.p, (int)text.n))));
}

static void
note_loop(struct play *p)
{
	static const char *const texts[] = {
	    [WORLD_LOOP_AT_ONCE] = "a hot loop: it asks without end",
	    [WORLD_LOOP_LONG] = "a hot loop: it never stops to ask",
	    [WORLD_LOOP_BUSY] = "a hot loop: a process of it computes "
				"without end, and waits for nothing"};

	if (p->w->loop != WORLD_LOOP_NONE)
		note_violation(p, "requests", span_str(texts[p->w->loop]));
}

/* An expression that does not become true is a violation. */
static void
expect(struct play *p, jv step)
{
	int64_t end = world_now(p->w) + TRIAL_CONVERGE_MS * ms;
	struct err err = ERR_INIT;
	jq_state *jq = scenario_expression(
	    p->t->folder, jv_string_value(jvtext_peek(step, "jq")), &err);
	struct buf b = BUF_INIT;
	int holds = -1;

	while (jq != NULL &&
	    (holds = scenario_holds(jq, values_of(p->state), &err)) != 1 &&
	    p->t->count > 0 && p->w->loop == WORLD_LOOP_NONE &&
	    world_now(p->w) < end)
		pass(p, 5 * s);

	if (jq != NULL)
		jq_teardown(&jq);
	if (holds == 1)
		return;
	buf_addf(&b, "%s: %s", jv_string_value(jvtext_peek(step, "name")),
	    holds == 0 ? "is not so" : err.message);
	note_violation(p, "expect", buf_span(&b));
	buf_release(&b);
}

/* The first one leads: the others come a little later. */
static void
start_operators(struct play *p)
{
	p->operators[0].old = p->t->begins_old;
	instance_start(p, 0);
	for (size_t i = 1; i < (size_t)p->t->instances; i++) {
		pass(p, s);
		instance_start(p, i);
	}
}

/* How many lines each stage has written. */
static void
note_lines(struct play *p)
{
	jv lines;

	if (!p->t->counting)
		return;
	lines = jv_object();
	for (size_t i = 0; i < RELAY_STAGES; i++)
		lines = jv_object_set(lines, jv_string(relay_stages[i]),
		    jv_number(relay_count(p->w->relay, i)));
	play_note(p, JV_OBJECT(jv_string("lines"), lines));
}

/* Time to converge, then to be silent. */
static void
settle_down(struct play *p, int64_t quiet_ms, int64_t silence_ms)
{
	converge(p, quiet_ms);
	note_lines(p);
	play_note(p,
	    JV_OBJECT(jv_string("silence"), jv_true(), jv_string("time"),
		play_number(world_real_us(p->w))));
	pass(p, silence_ms * ms);
}

/* Whether nobody knows how long the effect of a fault lasts: a watch that hangs
 * ends by itself after minutes. */
static bool
is_endless(const struct trial *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->faults[i].kind->way == MISHAP_PLAN &&
		    mishap_due_ms(&t->faults[i]) < 0)
			return true;
	return false;
}

/* An election costs time, for it is never idle: no more than the faults need. */
static int64_t
quiet_ms(const struct trial *t)
{
	int64_t sum = TRIAL_SHORT_QUIET_MS;

	if (is_endless(t))
		return TRIAL_LONG_QUIET_MS;
	if (t->instances == 0)
		return TRIAL_QUIET_MS;
	for (size_t i = 0; i < t->count; i++) {
		int64_t due = mishap_due_ms(&t->faults[i]);

		sum += due > 0 ? due : TRIAL_QUIET_MS;
	}
	return sum < TRIAL_QUIET_MS ? sum : TRIAL_QUIET_MS;
}

static void
settle_at_last(struct play *p)
{
	settle_down(p, quiet_ms(p->t),
	    p->t->instances > 0	  ? TRIAL_SHORT_SILENCE_MS /* never silent */
		: p->t->count > 0 ? TRIAL_SILENCE_MS
				  : TRIAL_CLEAN_MS);
}

static void
note_end(struct play *p, int code)
{
	play_note(p,
	    JV_OBJECT(jv_string("end"), jv_true(), jv_string("code"),
		jv_number(code), jv_string("time"),
		play_number(world_real_us(p->w)), jv_string("state"),
		values_of(p->state)));
}

/* The same second of a minute for all: what is done each minute is done. */
static void
settle_in_time(struct play *p)
{
	const int64_t minute = 60000000, at = 45000000;

	settle_down(p, TRIAL_SHORT_QUIET_MS, TRIAL_SHORT_SILENCE_MS);
	pass(p,
	    (minute + at - world_real_us(p->w) % minute) % minute *
		(ms / 1000));
	note_end(p, 0);
	p->settled = true;
}

static void
play_steps(struct play *p)
{
	bool saves = needs_saved(p->t);

	while (p->w->loop == WORLD_LOOP_NONE) {
		int i = p->step;
		jv step = play_next(p);
		bool at_once = jv_is_valid(jvtext_peek(step, "then"));

		if (!jv_is_valid(step))
			return;
		if (i > 0 && !at_once)
			pass(p, TRIAL_STEP_MS * ms);
		if (p->step != i) { /* a fault has done it */
			jv_free(step);
			continue;
		}
		if (saves && !at_once) {
			upset_save(p, &p->saved);
			p->saved_step = i;
		}
		play_begin_next(p);
		if (span_is(play_text(step, "do"), "wait"))
			pass(p,
			    (int64_t)jv_number_value(jvtext_peek(step, "ms")) *
				ms);
		else if (span_is(play_text(step, "do"), "expect"))
			expect(p, step);
		else if (span_is(play_text(step, "do"), "update"))
			instance_update(p, 0);
		else if (span_is(play_text(step, "do"), "replace"))
			instance_replace(p, play_text(step, "by"));
		else if (span_is(play_text(step, "do"), "settle"))
			settle_in_time(p);
		else
			do_step(p, p->w->client, step);
		jv_free(step);
	}
}

static void
end(struct play *p)
{
	int code;

	p->ending = true;
	code = instance_end_all(p);
	/* A stage that had to be killed has not ended well. */
	if (p->stopped_at_end.n > 0 && code != 128 + SIGKILL)
		code = 0;
	play_take_lines(p, &p->w->journal, play_take_line);
	act_on_paused(p);
	play_take_lines(p, &p->w->log, play_take_log);
	note_loop(p);
	note_end(p, code);
}

jv
trial_play(struct world *w, const struct trial *t, struct err *err)
{
	struct play p = {.w = w,
	    .t = t,
	    .deeds = &w->deeds,
	    .record = jv_array(),
	    .state = jv_object(),
	    .made = jv_object(),
	    .known = jv_object(),
	    .waiting = jv_invalid(),
	    .paused = jv_array(),
	    .err = ERR_INIT};

	p.backdrop = backdrop_new();
	if (world_reset(w, t->objects, t->seed, t->start_us, &p.err) == 0 &&
	    set_faults(&p) == 0) {
		relay_set(w->relay, t->faults, t->count, t->counting);
		start_operators(&p);
		pass(&p, TRIAL_FIRST_MS * ms);
		note_lines(&p);
		play_steps(&p);
		if (!p.settled)
			settle_at_last(&p);
		end(&p);
	}
	backdrop_free(p.backdrop);
	for (size_t i = 0; i < p.coming_count; i++)
		jv_free(p.coming[i].step);
	free(p.coming);
	buf_release(&p.saved);
	jv_free(p.state);
	jv_free(p.made);
	jv_free(p.known);
	jv_free(p.waiting);
	jv_free(p.paused);
	if (p.err.kind == ERR_NONE)
		return p.record;
	*err = p.err;
	jv_free(p.record);
	return jv_invalid();
}
