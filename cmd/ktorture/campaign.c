#include "campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "json/jvtext.h"
#include "process/clock.h"
#include "scene/scenario.h"
#include "deed.h"
#include "instance.h"
#include "specplay.h"

/* The first of January 2026 is a Thursday. */
static const int64_t start_us = INT64_C(1767225600000000);

/* ---- the new cluster ---- */

static int
make(struct world *w, jv object, struct err *err)
{
	jv step = JV_OBJECT(jv_string("do"), jv_string("create"),
	    jv_string("object"), jv_copy(object));
	struct span answer;
	int status = deed_do(&w->deeds, w->client, step, &answer, err);

	jv_free(step);
	if (status > 299)
		err_set(err, ERR_PERMANENT, "the API server refuses %s: %.*s",
		    jv_string_value(jvtext_peek(object, "kind")),
		    SPAN_ARG(answer));
	world_still(w);
	buf_reset(&w->journal);
	return status > 0 && status < 300 ? 0 : -1;
}

int
campaign_begin(struct campaign *r, struct world *w, struct err *err)
{
	struct span answer;
	int rc = 0;

	jv_array_foreach(r->folder->crds, i, crd)
	{
		if (rc == 0)
			rc = make(w, crd, err);
		jv_free(crd);
	}
	if (rc != 0 ||
	    kapiclient_ask(w->client, "GET", "/kapi/save", KAPICLIENT_JSON,
		SPAN_NONE, &answer, err) != 200)
		return -1;
	buf_addspan(&r->objects, answer);
	return 0;
}

/* ---- clean ---- */

static int
instances_of(jv scenario)
{
	jv n = jvtext_peek(scenario, "instances");
	int count = jv_is_valid(n) ? (int)jv_number_value(n) : 0;

	return count < INSTANCES ? count : INSTANCES;
}

/* Whether it has two versions of the operator. */
static bool
has_versions(jv scenario)
{
	return jv_is_valid(jvtext_peek(scenario, "begins"));
}

enum versions { VERSIONS_AS_SAID, VERSIONS_NEW };

static jv
play(struct campaign *r, struct world *w, jv scenario, enum versions versions,
    const struct mishap *faults, size_t count, uint64_t seed, int64_t at_us,
    const char *recording, struct err *err)
{
	struct trial t = {.folder = r->folder,
	    .objects = buf_span(&r->objects),
	    .made = r->act_count > 0 ? r->acts[0].clean : jv_invalid(),
	    .steps = jvtext_peek(scenario, "steps"),
	    .faults = faults,
	    .count = count,
	    .seed = seed,
	    .start_us = at_us,
	    .recording = recording,
	    .instances = instances_of(scenario),
	    .begins_old =
		span_is(jvtext_span(jvtext_peek(scenario, "begins")), "old"),
	    .new_only = versions == VERSIONS_NEW,
	    /* Counting must not matter: one of the plays without faults
	     * counts lines, the other one does not. */
	    .counting = count == 0 && seed != r->seed};

	return trial_play(w, &t, err);
}

jv
campaign_noted(jv record)
{
	jv found = jv_array();

	jv_array_foreach(record, i, line)
	{
		jv v = jvtext_peek(line, "violation");

		if (jv_is_valid(v))
			found = jv_array_append(found, jv_copy(v));
		jv_free(line);
	}
	return found;
}

/* A status, or a request that was right before it, may come late. */
static bool
may_be_old(const struct mishap *f)
{
	return f->kind->act == MISHAP_LATE ||
	    f->kind->act == MISHAP_LINE_HOLD || f->kind->act == MISHAP_NEXT ||
	    strcmp(f->kind->name, "delay") == 0;
}

/* Whether the author wants no status to be written over a newer one. */
static bool
is_guarded(const struct campaign *r)
{
	bool guarded = false;

	jv_array_foreach(r->folder->entries, i, entry)
	{
		guarded = guarded ||
		    jv_get_kind(jvtext_peek(entry, "guardStatus")) ==
			JV_KIND_TRUE;
		jv_free(entry);
	}
	return guarded;
}

/* A Lease that is invalid is so for good: kelect ends, with 100 (kelect(1)). */
static bool
makes_invalid(const struct mishap *f)
{
	static const char *const codes[] = {"400", "422", "422-while", NULL};

	return span_is(f->at.stage, "kelect") &&
	    span_is_one_of(span_str(f->kind->name), codes);
}

/* Two versions that nobody elects write against each other while both are
 * there. */
static bool
may_fight(jv scenario)
{
	return has_versions(scenario) && instances_of(scenario) == 0;
}

static bool
has_rule(jv rules, const char *name)
{
	bool has = false;

	jv_array_foreach(rules, i, rule)
	{
		has = has || jv_is_valid(jvtext_peek(rule, name));
		jv_free(rule);
	}
	return has;
}

/* A program that waits for a time of day waits for it again, if the clock is set
 * back. */
static bool
waits_again(jv scenario, const struct mishap *f)
{
	return f->kind->act == MISHAP_JUMP && *f->arg.p == '-' &&
	    has_rule(jvtext_peek(scenario, "rules"), "patience");
}

/* Another one of that name has another past. */
static bool
is_remade(const struct campaign *r, const struct mishap *f)
{
	return f->kind->act == MISHAP_DELETE &&
	    has_rule(r->folder->rules, "remembers") &&
	    opfolder_is_primary_resource(r->folder, f->at.resource);
}

static bool
forgives(
    const struct campaign *r, const struct schedule *s, struct span invariant)
{
	if (span_is(invariant, "requests") &&
	    may_fight(r->acts[s->scenario].scenario))
		return true;
	for (size_t i = 0; i < s->count; i++) {
		struct span all = span_str(s->faults[i].kind->forgives);

		if (span_is(invariant, "claim") && may_be_old(&s->faults[i]) &&
		    !is_guarded(r))
			return true;
		if (span_is(invariant, "crash") && makes_invalid(&s->faults[i]))
			return true;
		if (span_is(invariant, "end") &&
		    (waits_again(
			 r->acts[s->scenario].scenario, &s->faults[i]) ||
			is_remade(r, &s->faults[i])))
			return true;
		while (all.p != NULL)
			if (span_eq(span_cut(&all, ' '), invariant))
				return true;
	}
	return false;
}

/* The violations that count. */
static jv
judged(const struct campaign *r, const struct schedule *s, jv found)
{
	jv kept = jv_array();

	jv_array_foreach(found, i, v)
	{
		if (forgives(r, s, jvtext_span(jvtext_peek(v, "invariant"))))
			jv_free(v);
		else
			kept = jv_array_append(kept, v);
	}
	jv_free(found);
	return kept;
}

static jv
play_version(struct campaign *r, struct world *w, jv scenario,
    enum versions versions, bool again, const char *recording, struct err *err)
{
	const int64_t later_us = INT64_C(3723000000);

	return play(r, w, scenario, versions, NULL, 0, r->seed + again,
	    start_us + (again ? later_us : 0), recording, err);
}

jv
campaign_play(struct campaign *r, struct world *w, jv scenario, bool again,
    const char *recording, struct err *err)
{
	return play_version(
	    r, w, scenario, VERSIONS_AS_SAID, again, recording, err);
}

/* Plays it twice without faults; the clean record, owned, and what judges
 * others. Invalid with err. */
static jv
play_clean(struct campaign *r, struct world *w, jv scenario,
    enum versions versions, struct oracle **oracle, jv *counted,
    struct err *err)
{
	jv clean = play_version(r, w, scenario, versions, false, NULL, err);
	jv other = jv_is_valid(clean)
	    ? play_version(r, w, scenario, versions, true, NULL, err)
	    : jv_invalid();

	*oracle = NULL;
	if (jv_is_valid(other) && counted != NULL)
		*counted = jv_copy(other);
	if (jv_is_valid(other))
		*oracle = oracle_new(jv_copy(clean), other,
		    scenario_rules(r->folder,
			jv_copy(jvtext_peek(scenario, "rules")), err),
		    err);
	if (*oracle != NULL)
		return clean;
	jv_free(clean);
	return jv_invalid();
}

static bool
ends_otherwise(jv scenario, jv violation)
{
	struct span name = jvtext_span(jvtext_peek(violation, "invariant"));

	return span_is(name, "end") || span_is(name, "silence") ||
	    (span_is(name, "requests") && !may_fight(scenario));
}

/* An update has to end as with the new version alone: what is wrong of that in
 * its clean record, borrowed; owned. Invalid with err. */
static jv
check_update(
    struct campaign *r, struct world *w, jv scenario, jv clean, struct err *err)
{
	struct oracle *o;
	jv kept = jv_array(), found;
	jv alone = play_clean(r, w, scenario, VERSIONS_NEW, &o, NULL, err);

	if (!jv_is_valid(alone)) {
		jv_free(kept);
		return alone;
	}
	jv_free(alone);
	found = oracle_check(o, jv_copy(clean));
	jv_array_foreach(found, i, v)
	{
		if (ends_otherwise(scenario, v))
			kept = jv_array_append(kept, v);
		else
			jv_free(v);
	}
	jv_free(found);
	oracle_free(o);
	return kept;
}

int
campaign_add(struct campaign *r, struct world *w, jv scenario, bool with_faults,
    jv *found, struct err *err)
{
	struct oracle *o;
	jv counted = jv_invalid(), own;
	jv clean =
	    play_clean(r, w, scenario, VERSIONS_AS_SAID, &o, &counted, err);

	if (!jv_is_valid(clean)) {
		jv_free(counted);
		jv_free(scenario);
		return -1;
	}
	*found = jv_array();
	if (has_versions(scenario))
		*found = check_update(r, w, scenario, clean, err);
	if (!jv_is_valid(*found)) {
		jv_free(counted);
		jv_free(clean);
		jv_free(scenario);
		oracle_free(o);
		return -1;
	}
	own = jv_array_concat(
	    campaign_noted(clean), oracle_check(o, jv_copy(clean)));
	for (size_t i = 0; i < r->act_count; i++) {
		oracle_learn(r->acts[i].oracle, jv_copy(clean));
		oracle_learn(o, jv_copy(r->acts[i].clean));
	}
	r->acts = mem_grow(r->acts, r->act_count, sizeof(*r->acts));
	r->acts[r->act_count++] = (struct act){scenario, clean, o};
	*found = jv_array_concat(*found,
	    judged(r, &(struct schedule){.scenario = r->act_count - 1}, own));
	if (with_faults)
		roster_add(&r->roster, r->act_count - 1, clean);
	if (with_faults && instances_of(scenario) == 0 &&
	    !has_versions(scenario))
		roster_add_lines(&r->roster, r->act_count - 1, counted);
	jv_free(counted);
	return 0;
}

jv
campaign_try(struct campaign *r, struct world *w, jv scenario,
    const struct schedule *s, struct err *err)
{
	struct oracle *o;
	jv clean = play_clean(r, w, scenario, VERSIONS_AS_SAID, &o, NULL, err),
	   played, found;

	if (!jv_is_valid(clean))
		return clean;
	/* Then the faults are not the cause. */
	if (s->count > 0 && jv_array_length(campaign_noted(clean)) > 0) {
		jv_free(clean);
		oracle_free(o);
		return jv_array();
	}
	for (size_t i = 0; i < r->act_count; i++)
		oracle_learn(o, jv_copy(r->acts[i].clean));
	jv_free(clean);
	played = play(r, w, scenario, VERSIONS_AS_SAID, s->faults, s->count,
	    r->seed, start_us, NULL, err);
	if (!jv_is_valid(played)) {
		oracle_free(o);
		return played;
	}
	found = jv_array_concat(
	    campaign_noted(played), oracle_check(o, jv_copy(played)));
	jv_free(played);
	oracle_free(o);
	return judged(r, s, found);
}

void
campaign_release(struct campaign *r)
{
	for (size_t i = 0; i < r->act_count; i++) {
		jv_free(r->acts[i].scenario);
		jv_free(r->acts[i].clean);
		oracle_free(r->acts[i].oracle);
	}
	free(r->acts);
	buf_release(&r->objects);
	roster_release(&r->roster);
	specplay_free(r->specs);
}

jv
campaign_schedule(struct campaign *r, struct world *w, const struct schedule *s,
    const char *recording, jv *record, struct err *err)
{
	struct act *a = &r->acts[s->scenario];
	jv played, found;

	if (s->spec > 0) {
		jv edits = specplay_edits(r, s->spec - 1);

		found = specplay_play(r, w, edits, recording, record, err);
		jv_free(edits);
		return found;
	}
	played = play(r, w, a->scenario, VERSIONS_AS_SAID, s->faults, s->count,
	    r->seed, start_us, recording, err);
	if (!jv_is_valid(played))
		return played;
	if (record != NULL)
		*record = jv_copy(played);
	found = jv_array_concat(
	    campaign_noted(played), oracle_check(a->oracle, jv_copy(played)));
	jv_free(played);
	return judged(r, s, found);
}

/* ---- the order ---- */

enum { SPEC_EVERY = 16 };

struct schedule
campaign_get(const struct campaign *r, size_t n)
{
	size_t count = specplay_count(r), before = n / SPEC_EVERY;

	if (r->roster.count == 0)
		return (struct schedule){.spec = n + 1};
	if (before >= count)
		return roster_get(&r->roster, n - count);
	if (n % SPEC_EVERY == SPEC_EVERY - 1)
		return (struct schedule){.spec = before + 1};
	return roster_get(&r->roster, n - before);
}

size_t
campaign_singles(const struct campaign *r)
{
	size_t faults = r->roster.count, n = faults;

	if (faults == 0)
		return specplay_singles(r);
	while (n -
		(n / SPEC_EVERY < specplay_count(r) ? n / SPEC_EVERY
						    : specplay_count(r)) <
	    faults)
		n++;
	return n;
}

/* ---- many ---- */

/* Shared by all workers. */
struct shared {
	_Atomic size_t next;
};

static void
tell(int fd, jv line)
{
	jv text = jv_dump_string(line, 0);
	const char *at = jv_string_value(text);
	size_t left = strlen(at);
	ssize_t n;

	while (left > 0 && (n = write(fd, at, left)) > 0) {
		at += n;
		left -= (size_t)n;
	}
	(void)!write(fd, "\n", 1);
	jv_free(text);
}

_Noreturn static void
work(struct campaign *r, struct world *w, struct shared *shared, int fd,
    size_t most, uint64_t end_ms)
{
	struct err err = ERR_INIT;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "ktorture-worker");
	world_settle(w);
	while (clock_ms() < end_ms) {
		size_t n = atomic_fetch_add(&shared->next, 1);
		struct schedule s;
		jv record = jv_invalid(), found;

		if (most > 0 && n >= most)
			break;
		s = campaign_get(r, n);
		found = campaign_schedule(r, w, &s, NULL, &record, &err);
		if (!jv_is_valid(found)) {
			tell(fd,
			    JV_OBJECT(
				jv_string("error"), jv_string(err.message)));
			break;
		}
		tell(fd,
		    JV_OBJECT(jv_string("n"), jv_number((double)n),
			jv_string("found"), found, jv_string("counts"),
			oracle_counts(record)));
	}
	_exit(0);
}

struct worker {
	pid_t pid;
	struct buf text;
};

/* A line of a worker; false: no more. */
static bool
take(struct campaign *r, struct span line, campaign_fn *fn, void *arg,
    struct err *err)
{
	struct err own;
	jv l = jvtext_parse(line, &own);
	jv error = jvtext_peek(l, "error");
	struct campaign_result result;
	bool more;

	if (!jv_is_valid(l) || jv_is_valid(error)) {
		err_set(err, ERR_BUG, "%s",
		    jv_is_valid(l) ? jv_string_value(error) : own.message);
		jv_free(l);
		return false;
	}
	result.number = (size_t)jv_number_value(jvtext_peek(l, "n"));
	result.schedule = campaign_get(r, result.number);
	result.found = jvtext_peek(l, "found");
	result.counts = jvtext_peek(l, "counts");
	more = fn(arg, &result);
	jv_free(l);
	return more;
}

static bool
take_all(struct campaign *r, struct buf *b, campaign_fn *fn, void *arg,
    struct err *err)
{
	const char *end;
	bool more = true;

	while (more && (end = span_find(buf_span(b), '\n')) != NULL) {
		size_t n = (size_t)(end - b->data);

		more = take(r, span_make(b->data, n), fn, arg, err);
		buf_consume(b, n + 1);
	}
	return more;
}

int
campaign_all(struct campaign *r, struct world **worlds, int workers,
    uint64_t seconds, size_t most, campaign_fn *fn, void *arg, struct err *err)
{
	struct shared *shared = mmap(NULL, sizeof(*shared),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pollfd *fds = mem_zalloc((size_t)workers * sizeof(*fds));
	struct worker *all = mem_zalloc((size_t)workers * sizeof(*all));
	uint64_t end_ms =
	    seconds > 0 ? clock_ms() + seconds * 1000 : UINT64_MAX;
	int open_count = workers;
	bool more = true;

	fflush(NULL);
	for (int i = 0; i < workers; i++) {
		int pipe[2];

		if (pipe2(pipe, O_CLOEXEC) != 0)
			return err_set(err, ERR_TRANSIENT,
			    "cannot make a pipe: %s", strerror(errno));
		all[i].pid = fork();
		if (all[i].pid == 0)
			work(r, worlds[i], shared, pipe[1], most, end_ms);
		close(pipe[1]);
		fds[i] = (struct pollfd){pipe[0], POLLIN, 0};
	}
	while (open_count > 0 && more) {
		if (poll(fds, (nfds_t)workers, -1) < 0)
			continue;
		for (int i = 0; i < workers && more; i++) {
			ssize_t n;

			if (fds[i].revents == 0)
				continue;
			n = read(
			    fds[i].fd, buf_reserve(&all[i].text, 65536), 65536);
			if (n <= 0) {
				close(fds[i].fd);
				fds[i].fd = -1;
				open_count--;
				continue;
			}
			all[i].text.len += (size_t)n;
			more = take_all(r, &all[i].text, fn, arg, err);
		}
	}
	for (int i = 0; i < workers; i++) {
		if (!more)
			kill(all[i].pid, SIGTERM);
		waitpid(all[i].pid, NULL, 0);
		if (fds[i].fd >= 0)
			close(fds[i].fd);
		buf_release(&all[i].text);
	}
	free(fds);
	free(all);
	munmap(shared, sizeof(*shared));
	return err->kind == ERR_NONE ? 0 : -1;
}
