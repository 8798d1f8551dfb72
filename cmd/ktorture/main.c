/*
 * ktorture: plays an operator's scenarios under every fault, in a cluster of its
 * own and on a clock of its own, and says what became of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "json/jvtext.h"
#include "minimise.h"
#include "process/opt.h"
#include "scoreboard.h"
#include "campaign.h"
#include "specplay.h"
#include "scene/scenario.h"
#include "narration.h"

/* cmd/kpipe/child/inside.h, cmd/ireconcile/startup.h: of the tools that are
 * linked in (README). */
extern bool inside_only;
int startup_warm(const char *watches, struct err *err);

static struct opts {
	const char *watches, *old, *scenario, *record;
	struct opt_list faults, only, edits;
	long seed, schedules, jobs;
	long seconds;
	bool list, specs, fail_fast;
} o = {.seed = -1, .seconds = -1};

static const struct opt table[] = {
    {'f', "filename", "WATCHES", OPT_STRING, &o.watches, NULL,
	"the operator: its folder has crd.yaml and example.yaml, too"},
    {0, "old", "WATCHES", OPT_STRING, &o.old, NULL,
	"the version before: an update from it, and back, is played, too"},
    {0, "seed", "N", OPT_INT, &o.seed, NULL,
	"the order of schedules; printed if it is not given"},
    {0, "seconds", "N", OPT_INT, &o.seconds, NULL,
	"how long; 0: until all single faults are played (60)"},
    {0, "schedules", "N", OPT_INT, &o.schedules, NULL,
	"how many at most; 0: no limit (0)"},
    {0, "scenario", "NAME", OPT_STRING, &o.scenario, NULL,
	"only this one; or a file t/NAME.scenario"},
    {0, "fault", "FAULT", OPT_LIST, &o.faults, NULL,
	"play only this schedule, and tell its story; may be given twice"},
    {0, "only", "KIND", OPT_LIST, &o.only, NULL,
	"only faults of this kind; may be given more than once"},
    {0, "specs", NULL, OPT_FLAG, &o.specs, NULL,
	"play only generated specs, without a fault"},
    {0, "spec", "EDIT", OPT_LIST, &o.edits, NULL,
	"play only this edit of the example, in jq; may be given twice"},
    {0, "record", "DIR", OPT_STRING, &o.record, NULL,
	"with --fault or --spec: a recording of it, for kview"},
    {0, "fail-fast", NULL, OPT_FLAG, &o.fail_fast, NULL,
	"end with the first schedule that fails"},
    {0, "jobs", "N", OPT_INT, &o.jobs, NULL,
	"how many schedules at once; 0: as many as processors (0)"},
    {0, "list", NULL, OPT_FLAG, &o.list, NULL,
	"print the scenarios and their faults, and play none"},
    OPT_END};

static const struct opt_tool tool = {"ktorture", "-f WATCHES [OPTION]...",
    "Play an operator under every fault.", table};

/* ---- scenarios ---- */

static bool
is_file(const char *name)
{
	return strchr(name, '/') != NULL || strstr(name, ".scenario") != NULL;
}

/* Owned list; invalid with err. */
static jv
load_scenarios(struct opfolder *f, struct err *err)
{
	/* First: it finds the rules of all. */
	jv written = scenario_written(f, err), all = jv_invalid();

	if (jv_is_valid(written))
		all = scenario_defaults(f, err);
	if (!jv_is_valid(all)) {
		jv_free(written);
		return all;
	}
	if (o.scenario == NULL || !is_file(o.scenario))
		return jv_array_concat(all, written);
	/* The first one shows what the operator makes. */
	jv_free(written);
	written = scenario_read(f, o.scenario, err);
	if (!jv_is_valid(written)) {
		jv_free(all);
		return written;
	}
	return jv_array_append(jv_array_slice(all, 0, 1), written);
}

static bool
is_wanted(jv scenario, int i, int count)
{
	struct span name = jvtext_span(jvtext_peek(scenario, "name"));

	if (o.scenario == NULL)
		return true;
	return is_file(o.scenario) ? i == count - 1 : span_is(name, o.scenario);
}

static int
add_scenarios(struct campaign *r, struct world *w, struct scoreboard *rep,
    struct err *err)
{
	jv all = load_scenarios(r->folder, err);
	int count, rc = 0;

	if (!jv_is_valid(all))
		return -1;
	count = jv_array_length(jv_copy(all));
	if (count == 0)
		rc = err_set(err, ERR_PERMANENT,
		    "%s: no scenario: there is neither an example.yaml nor a "
		    "t/*.scenario",
		    r->folder->path);
	jv_array_foreach(all, i, scenario)
	{
		jv found;

		bool wanted = is_wanted(scenario, i, count);

		/* The first one shows what the operator makes. */
		if (rc != 0 || (!wanted && i > 0)) {
			jv_free(scenario);
			continue;
		}
		rc = campaign_add(r, w, scenario, wanted, &found, err);
		if (rc == 0)
			scoreboard_clean(
			    rep, scoreboard_name(r, r->act_count - 1), found);
	}
	jv_free(all);
	if (rc == 0 && o.scenario != NULL && r->act_count < 2 &&
	    !span_is(jvtext_span(jvtext_peek(r->acts[0].scenario, "name")),
		o.scenario))
		rc = err_set(err, ERR_PERMANENT,
		    "option --scenario: there is no \"%s\"", o.scenario);
	return rc;
}

static bool
wants_specs(void)
{
	return o.specs || o.edits.count > 0 ||
	    (o.scenario == NULL && o.only.count == 0);
}

/* -1 with err: one of them did not happen. */
static int
check_happened(const struct schedule *s, jv record, struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < s->count && rc == 0; i++) {
		bool happened = false;

		buf_reset(&b);
		mishap_print(&s->faults[i], &b);
		jv_array_foreach(record, k, line)
		{
			happened = happened ||
			    span_eq(jvtext_span(jvtext_peek(line, "fault")),
				buf_span(&b));
			jv_free(line);
		}
		if (!happened)
			rc = err_set(err, ERR_PERMANENT,
			    "option --fault: %s did not happen: %s",
			    buf_str(&b),
			    s->faults[i].kind->way == MISHAP_RELAY
				? "the stage has written no such line"
				: "the operator sent no such request");
	}
	buf_release(&b);
	return rc;
}

static int
add_specs(struct campaign *r, struct world *w, struct scoreboard *rep,
    struct err *err)
{
	/* It finds the rules. */
	jv written = scenario_written(r->folder, err), found;

	if (!jv_is_valid(written))
		return -1;
	jv_free(written);
	if (specplay_begin(r, w, &found, err) != 0)
		return -1;
	scoreboard_clean(rep, scoreboard_example, found);
	if (specplay_count(r) == 0 && r->act_count == 0)
		return err_set(err, ERR_PERMANENT,
		    "%s: no specs: there is no example.yaml", r->folder->path);
	return 0;
}

/* ---- one schedule ---- */

/* Takes both. */
static int
tell_one(jv record, jv found)
{
	bool failed = jv_array_length(jv_copy(found)) > 0;

	narration_print(record);
	scoreboard_one(found);
	if (o.record != NULL)
		printf("kview %s\n", o.record);
	return failed;
}

static int
play_one(struct campaign *r, struct world *w, struct err *err)
{
	struct schedule s = {.scenario = r->act_count - 1};
	jv record = jv_invalid(), found;
	int rc;

	for (size_t i = 0; i < o.faults.count; i++)
		if (mishap_read(&r->roster.arena, span_str(o.faults.items[i]),
			&s.faults[s.count++], err) != 0)
			return -1;
	found = campaign_schedule(r, w, &s, o.record, &record, err);
	if (!jv_is_valid(found))
		return -1;
	rc = check_happened(&s, record, err);
	return tell_one(record, found) ? 1 : rc;
}

static int
play_edits(struct campaign *r, struct world *w, struct err *err)
{
	jv edits = jv_array(), record = jv_invalid(), found;

	for (size_t i = 0; i < o.edits.count; i++)
		edits = jv_array_append(edits,
		    JV_OBJECT(jv_string("text"), jv_string(o.edits.items[i])));
	found = specplay_play(r, w, edits, o.record, &record, err);
	jv_free(edits);
	return jv_is_valid(found) ? tell_one(record, found) : -1;
}

/* ---- all ---- */

static bool
on_result(void *arg, const struct campaign_result *result)
{
	const struct scoreboard *rep = arg;

	return scoreboard_take(arg, result) &&
	    (!o.fail_fast || rep->failed == 0);
}

static int
write_scenario(const char *path, jv scenario, struct err *err)
{
	jv text = jv_dump_string(jv_copy(scenario), 0);
	FILE *f = fopen(path, "w");
	bool written =
	    f != NULL && fprintf(f, "%s\n", jv_string_value(text)) > 0;

	if (f != NULL && fclose(f) != 0)
		written = false;
	jv_free(text);
	return written ? 0
		       : err_set(err, ERR_TRANSIENT, "cannot write %s: %s",
			     path, strerror(errno));
}

/* Minimised; a scenario of its own is in a file, so that it can be repeated. */
static int
tell_failure(struct campaign *r, struct world *w, struct scoreboard *rep,
    struct err *err)
{
	struct schedule s = rep->worst;
	jv found = jv_copy(rep->worst_found);
	jv own = r->acts[s.scenario].scenario;
	jv small = minimise(r, w, &s, &found);
	const char *name = scoreboard_name(r, s.scenario);
	struct buf file = BUF_INIT;
	int rc = 0;

	if (!jv_equal(jv_copy(own), jv_copy(small))) {
		buf_addf(&file, "./ktorture-%ld.scenario", o.seed);
		name = buf_str(&file);
		rc = write_scenario(name, small, err);
	}
	if (rc == 0) {
		scoreboard_failure(rep, &s, name, jv_invalid(), found);
		rc = 1;
	}
	jv_free(small);
	jv_free(found);
	buf_release(&file);
	return rc;
}

static int
tell_spec(struct campaign *r, struct world *w, struct scoreboard *rep)
{
	jv found = jv_copy(rep->worst_found);
	jv all = specplay_edits(r, rep->worst.spec - 1);
	jv edits = minimise_edits(r, w, all, &found);

	scoreboard_failure(rep, &rep->worst, NULL, edits, found);
	jv_free(all);
	jv_free(edits);
	jv_free(found);
	return 1;
}

static int
play_all(struct campaign *r, struct world **worlds, struct scoreboard *rep,
    struct err *err)
{
	size_t most = (size_t)o.schedules;

	if (o.seconds == 0 && (most == 0 || most > campaign_singles(r)))
		most = campaign_singles(r);
	roster_order(&r->roster);
	if (o.only.count > 0 && r->roster.count == 0)
		return err_set(err, ERR_PERMANENT,
		    "option --only: no request allows such a fault");
	scoreboard_begin(rep, r);
	if (o.fail_fast && rep->clean != NULL)
		return scoreboard_others(rep);
	if (campaign_all(r, &worlds[1], (int)o.jobs, (uint64_t)o.seconds, most,
		on_result, rep, err) != 0)
		return -1;
	scoreboard_end(rep);
	if (rep->failed == 0)
		return scoreboard_others(rep);
	return rep->worst.spec > 0 ? tell_spec(r, worlds[0], rep)
				   : tell_failure(r, worlds[0], rep, err);
}

static int
list(struct campaign *r)
{
	roster_order(&r->roster);
	for (size_t i = 0; i < r->roster.count; i++) {
		struct buf b = BUF_INIT;

		mishap_print(&r->roster.singles[i].faults[0], &b);
		printf("%s %s\n",
		    jv_string_value(jvtext_peek(
			r->acts[r->roster.singles[i].scenario].scenario,
			"name")),
		    buf_str(&b));
		buf_release(&b);
	}
	for (size_t i = 0; i < specplay_singles(r); i++) {
		jv edits = specplay_edits(r, i);
		jv edit = jv_array_get(edits, 0);

		printf("spec %s\n", jv_string_value(jvtext_peek(edit, "text")));
		jv_free(edit);
	}
	return 0;
}

static int
torture(struct opfolder *f, struct world **worlds, struct err *err)
{
	struct campaign r = {.folder = f, .seed = (uint64_t)o.seed};
	struct scoreboard rep;
	int rc;

	roster_init(&r.roster, r.seed);
	r.roster.only = o.only.items;
	r.roster.only_count = o.only.count;
	scoreboard_init(&rep, f, r.seed);
	rc = campaign_begin(&r, worlds[0], err);
	if (rc == 0 && !o.specs && o.edits.count == 0)
		rc = add_scenarios(&r, worlds[0], &rep, err);
	if (rc == 0 && wants_specs())
		rc = add_specs(&r, worlds[0], &rep, err);
	if (rc == 0)
		rc = o.list		 ? list(&r)
		    : o.edits.count > 0	 ? play_edits(&r, worlds[0], err)
		    : o.faults.count > 0 ? play_one(&r, worlds[0], err)
					 : play_all(&r, worlds, &rep, err);
	campaign_release(&r);
	scoreboard_release(&rep);
	return rc;
}

/* The first is for this process, the others for workers. */
static int
torture_in_worlds(struct opfolder *f, struct err *err)
{
	bool alone = o.list || o.faults.count > 0 || o.edits.count > 0;
	size_t count = alone ? 1 : (size_t)o.jobs + 1, i;
	struct world **worlds = mem_zalloc(count * sizeof(*worlds));
	int rc = 0;

	for (i = 0; i < count && rc == 0; i++) {
		worlds[i] = world_new(
		    (uint64_t)o.seed, i > 0 ? (unsigned)i - 1 : 0, err);
		rc = worlds[i] != NULL ? 0 : -1;
	}
	if (rc == 0) {
		world_settle(worlds[0]);
		rc = torture(f, worlds, err);
	}
	for (i = 0; i < count; i++)
		if (worlds[i] != NULL)
			world_free(worlds[i]);
	free(worlds);
	return rc;
}

static int
check_only(struct err *err)
{
	for (size_t i = 0; i < o.only.count; i++)
		if (mishap_kind(span_str(o.only.items[i])) == NULL)
			return err_set(err, ERR_PERMANENT,
			    "option --only: no fault is called \"%s\"",
			    o.only.items[i]);
	return 0;
}

static int
run(int operands, char **operand, struct err *err)
{
	struct opfolder f;
	int rc;

	if (operands > 0)
		return err_set(err, ERR_PERMANENT, "unexpected argument \"%s\"",
		    operand[0]);
	if (o.watches == NULL)
		return err_set(err, ERR_PERMANENT, "-f WATCHES is missing");
	if (o.faults.count > SCHEDULE_FAULTS)
		return err_set(err, ERR_PERMANENT, "option --fault: at most %d",
		    SCHEDULE_FAULTS);
	if (o.faults.count > 0 && o.scenario == NULL)
		return err_set(
		    err, ERR_PERMANENT, "option --fault needs --scenario");
	if ((o.specs || o.edits.count > 0) &&
	    (o.scenario != NULL || o.faults.count > 0))
		return err_set(err, ERR_PERMANENT,
		    "option --%s: without --scenario and --fault",
		    o.specs ? "specs" : "spec");
	if (check_only(err) != 0)
		return -1;
	if (o.seed < 0)
		o.seed = (long)(time(NULL) % 1000000);
	if (o.seconds < 0)
		o.seconds = o.schedules > 0 ? 0 : 60;
	if (opfolder_load(&f, o.watches, NULL, err) != 0)
		return -1;
	if (o.old != NULL && opfolder_set_old(&f, o.old, err) != 0)
		return -1;
	inside_only = true;
	if (startup_warm(o.watches, err) != 0 ||
	    (o.old != NULL && startup_warm(o.old, err) != 0))
		return -1;
	if (o.jobs == 0)
		o.jobs = sysconf(_SC_NPROCESSORS_ONLN);
	rc = torture_in_worlds(&f, err);
	opfolder_release(&f);
	return rc;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
