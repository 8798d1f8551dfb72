#include "scoreboard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "json/jvtext.h"
#include "process/clock.h"
#include "specplay.h"

enum { FAILURES_MAX = 20 };

const char scoreboard_example[] = "the example";

void
scoreboard_init(struct scoreboard *r, const struct opfolder *f, uint64_t seed)
{
	*r = (struct scoreboard){.folder = f,
	    .seed = seed,
	    .told_ms = clock_ms(),
	    .worst_found = jv_invalid()};
}

void
scoreboard_release(struct scoreboard *r)
{
	jv_free(r->worst_found);
}

const char *
scoreboard_name(const struct campaign *run, size_t act)
{
	return jv_string_value(jvtext_peek(run->acts[act].scenario, "name"));
}

static void
print_found(jv found)
{
	jv_array_foreach(found, i, v)
	{
		struct buf b = BUF_INIT;

		oracle_add_line(&b, v);
		printf("  %s\n", buf_str(&b));
		buf_release(&b);
		jv_free(v);
	}
}

static bool
is_time_to_tell(struct scoreboard *r)
{
	if (clock_ms() < r->told_ms + 5000)
		return false;
	r->told_ms = clock_ms();
	return true;
}

void
scoreboard_clean(struct scoreboard *r, const char *scenario, jv found)
{
	r->clean_count++;
	if (jv_array_length(jv_copy(found)) > 0) {
		printf("%s, without any fault:\n", scenario);
		print_found(found);
		if (r->clean == NULL)
			r->clean = scenario;
	}
	jv_free(found);
	if (is_time_to_tell(r))
		fprintf(stderr, "ktorture: %zu scenarios without a fault\n",
		    r->clean_count);
}

void
scoreboard_begin(struct scoreboard *r, const struct campaign *run)
{
	r->run = run;
	r->began_ms = r->told_ms = clock_ms();
	fprintf(stderr,
	    "ktorture: %zu scenarios, %zu single faults, %zu edits; seed "
	    "%" PRIu64 "\n",
	    run->act_count, run->roster.count, specplay_singles(run), r->seed);
}

static struct scoreboard_row *
row_of(struct scoreboard *r, const struct schedule *s)
{
	const char *group = s->spec > 0 ? "specs"
	    : s->count > 1		? "two faults"
					: s->faults[0].kind->group;

	for (size_t i = 0; i < r->row_count; i++)
		if (strcmp(r->rows[i].group, group) == 0)
			return &r->rows[i];
	r->rows[r->row_count] = (struct scoreboard_row){.group = group};
	return &r->rows[r->row_count++];
}

static void
add_start(struct buf *b, const struct scoreboard *r, bool old)
{
	buf_addf(b, "ktorture -f %s --seed=%" PRIu64, r->folder->watches_path,
	    r->seed);
	if (r->folder->old_watches != NULL && old)
		buf_addf(b, " --old='%s'", r->folder->old_watches);
}

/* edits: of a spec. */
static void
add_command(struct buf *b, const struct scoreboard *r, const struct schedule *s,
    const char *scenario, jv edits)
{
	add_start(b, r, s->spec == 0);
	for (int i = 0,
		 n = jv_is_valid(edits) ? jv_array_length(jv_copy(edits)) : 0;
	     i < n; i++) {
		jv edit = jv_array_get(jv_copy(edits), i);

		buf_addf(b, " --spec='%s'",
		    jv_string_value(jvtext_peek(edit, "text")));
		jv_free(edit);
	}
	if (s->spec > 0)
		return;
	buf_addf(b, " --scenario='%s'", scenario);
	for (size_t i = 0; i < s->count; i++) {
		buf_adds(b, " --fault='");
		mishap_print(&s->faults[i], b);
		buf_addc(b, '\'');
	}
}

static void
print_failure(const struct scoreboard *r, const struct schedule *s, jv found)
{
	struct buf b = BUF_INIT;
	jv edits =
	    s->spec > 0 ? specplay_edits(r->run, s->spec - 1) : jv_invalid();

	add_command(&b, r, s,
	    s->spec > 0 ? NULL : scoreboard_name(r->run, s->scenario), edits);
	jv_free(edits);
	printf("%s\n", buf_str(&b));
	print_found(found);
	buf_release(&b);
	fflush(stdout);
}

static double
count(jv counts, const char *key)
{
	jv n = jvtext_peek(counts, key);

	return jv_get_kind(n) == JV_KIND_NUMBER ? jv_number_value(n) : 0;
}

/* Faults, or edits. */
static size_t
size_of(const struct scoreboard *r, const struct schedule *s)
{
	if (s->spec == 0)
		return s->count;
	return s->spec <= specplay_singles(r->run) ? 1 : 2;
}

bool
scoreboard_take(struct scoreboard *r, const struct campaign_result *result)
{
	struct scoreboard_row *row = row_of(r, &result->schedule);
	bool failed = jv_array_length(jv_copy(result->found)) > 0;
	double seconds = count(result->counts, "seconds");
	double writes = count(result->counts, "writes");

	r->played++;
	row->played++;
	if (seconds > row->slowest)
		row->slowest = seconds;
	if (writes > row->writes)
		row->writes = writes;
	if (failed) {
		row->failed++;
		if (r->failed++ == 0 ||
		    size_of(r, &result->schedule) < size_of(r, &r->worst)) {
			jv_free(r->worst_found);
			r->worst = result->schedule;
			r->worst_found = jv_copy(result->found);
		}
		if (r->failed <= FAILURES_MAX)
			print_failure(r, &result->schedule, result->found);
	}
	if (is_time_to_tell(r))
		fprintf(stderr, "ktorture: %zu schedules, %zu failed\n",
		    r->played, r->failed);
	return true;
}

void
scoreboard_end(struct scoreboard *r)
{
	r->seconds = (double)(clock_ms() - r->began_ms) / 1000;
	printf("%-22s %9s %7s %12s %12s\n", "faults", "schedules", "failed",
	    "slowest, s", "most writes");
	for (size_t i = 0; i < r->row_count; i++)
		printf("%-22s %9zu %7zu %12.1f %12.0f\n", r->rows[i].group,
		    r->rows[i].played, r->rows[i].failed, r->rows[i].slowest,
		    r->rows[i].writes);
	fflush(stdout);
}

static void
print_count(const struct scoreboard *r)
{
	printf("%zu schedules, %zu failed, in %.0f s: %.0f a minute; seed "
	       "%" PRIu64 "\n",
	    r->played, r->failed, r->seconds,
	    r->seconds > 0 ? (double)r->played * 60 / r->seconds : 0, r->seed);
}

bool
scoreboard_others(const struct scoreboard *r)
{
	struct buf b = BUF_INIT;

	print_count(r);
	if (r->clean == NULL)
		return false;
	if (r->clean == scoreboard_example) {
		add_start(&b, r, false);
		buf_adds(&b, " --specs");
	} else {
		add_start(&b, r, true);
		buf_addf(&b, " --scenario='%s'", r->clean);
	}
	printf("%s --fail-fast\n", buf_str(&b));
	buf_release(&b);
	return true;
}

void
scoreboard_failure(const struct scoreboard *r, const struct schedule *s,
    const char *scenario, jv edits, jv found)
{
	struct buf b = BUF_INIT;

	printf("\nThe shortest failure:\n");
	print_found(found);
	print_count(r);
	add_command(&b, r, s, scenario, edits);
	printf("%s\n", buf_str(&b));
	buf_release(&b);
}

void
scoreboard_one(jv found)
{
	if (jv_array_length(jv_copy(found)) > 0) {
		puts("Wrong:");
		print_found(found);
	} else {
		puts("Nothing is wrong.");
	}
	jv_free(found);
}
