#include "state.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/quote.h"
#include "json/json.h"

static bool
is_name_byte(char c)
{
	return c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool
name_ok(struct span name)
{
	if (name.n == 0 || name.n > STATE_NAME_MAX)
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!is_name_byte(name.p[i]))
			return false;
	return true;
}

/* NULL with err if the name is not valid, or one too many. */
static struct state_stage *
stage_of(struct state *s, struct span name, struct err *err)
{
	struct state_stage *stage;

	for (unsigned i = 0; i < s->count; i++)
		if (span_is(name, s->stages[i].name))
			return &s->stages[i];
	if (!name_ok(name) || s->count == SERIES_TOOLS_MAX) {
		err_set(err, ERR_PERMANENT, "bad name of a stage \"%.*s\"",
		    SPAN_ARG(name));
		return NULL;
	}
	stage = &s->stages[s->count++];
	memcpy(stage->name, name.p, name.n);
	return stage;
}

void
state_init(struct state *s, const char *self)
{
	*s = (struct state){0};
	stage_of(s, span_str(self), NULL)->running = true;
}

void
state_release(struct state *s)
{
	series_release(&s->series);
	free(s->reason);
	for (unsigned i = 0; i < s->count; i++)
		free(s->stages[i].unready);
}

static void
set_unready(struct state_stage *stage, char *text)
{
	free(stage->unready);
	stage->unready = text;
}

/* ---- the state of the pipeline ---- */

static int
take_stage(struct state *s, struct span name, struct span v, struct err *err)
{
	struct state_stage *stage = stage_of(s, name, err);
	int64_t starts;

	if (stage == NULL)
		return -1;
	if (json_type(v) != JSON_OBJECT ||
	    !json_int(json_get(v, "starts"), &starts))
		return err_set(err, ERR_PERMANENT,
		    "stage %s: \"starts\" is missing", stage->name);
	if (starts != stage->starts) {
		series_restart(&s->series, (unsigned)(stage - s->stages));
		set_unready(stage, NULL);
	}
	stage->listed = true;
	stage->starts = starts;
	if (!json_int(json_get(v, "oomKills"), &stage->oom_kills))
		stage->oom_kills = 0;
	stage->running = json_type(json_get(v, "running")) == JSON_TRUE;
	stage->ready = json_type(json_get(v, "ready")) == JSON_TRUE;
	return 0;
}

static void
take_reason(struct state *s, struct span reason)
{
	struct buf scratch = BUF_INIT, text = BUF_INIT;

	free(s->reason);
	s->reason = NULL;
	if (json_type(reason) != JSON_STRING)
		return;
	quote_text(&text, json_string(reason, &scratch));
	s->reason = buf_take(&text);
	buf_release(&scratch);
}

/* Processes beside the pipeline, in the form of stages. */
static int
take_aside(struct state *s, struct span stages, struct err *err)
{
	struct json_members m = json_members(stages);

	while (json_type(stages) == JSON_OBJECT && json_member(&m)) {
		if (take_stage(s, m.key, m.value, err) != 0)
			return -1;
		stage_of(s, m.key, err)->aside = true;
	}
	return 0;
}

static int
take_state(struct state *s, struct span line, struct err *err)
{
	struct span phase = json_get(line, "phase"), stages;
	struct json_members m;
	struct buf scratch = BUF_INIT;
	struct span text = json_string(phase, &scratch);
	bool bad = !name_ok(text);

	if (!bad) {
		memcpy(s->phase, text.p, text.n);
		s->phase[text.n] = '\0';
	}
	buf_release(&scratch);
	stages = json_get(line, "stages");
	if (bad || json_type(stages) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT, "\"%s\" is missing",
		    bad ? "phase" : "stages");
	take_reason(s, json_get(line, "reason"));
	for (unsigned i = 0; i < s->count; i++)
		s->stages[i].listed = false;
	m = json_members(stages);
	while (json_member(&m))
		if (take_stage(s, m.key, m.value, err) != 0)
			return -1;
	s->known = true;
	if (take_aside(s, json_get(line, "shadow"), err) != 0)
		return -1;
	return take_aside(s, json_get(line, "traces"), err);
}

/* ---- reports of the stages ---- */

static int
take_unready(struct state_stage *stage, struct span reasons, struct err *err)
{
	struct json_members m = json_members(reasons);
	struct buf all = BUF_INIT, scratch = BUF_INIT;

	if (json_type(reasons) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT, "unready is not an object");
	while (json_member(&m)) {
		buf_reset(&scratch);
		/* A check is one line. */
		buf_adds(&all, all.len > 0 ? "; " : "");
		quote_text(&all, m.key);
		buf_adds(&all, ": ");
		quote_text(&all, json_string(m.value, &scratch));
	}
	set_unready(stage, all.len > 0 ? buf_take(&all) : NULL);
	buf_release(&scratch);
	return 0;
}

int
state_line(struct state *s, struct span line, struct err *err)
{
	struct span tool = json_get(line, "tool"), name, v;
	struct buf scratch = BUF_INIT;
	struct state_stage *stage;

	if (json_type(line) != JSON_OBJECT || json_type(tool) != JSON_STRING)
		return err_set(err, ERR_PERMANENT, "\"tool\" is missing");
	name = json_string(tool, &scratch);
	if (span_is(name, "kpipe") && json_get(line, "stages").p != NULL) {
		buf_release(&scratch);
		return take_state(s, line, err);
	}
	stage = stage_of(s, name, err);
	buf_release(&scratch);
	if (stage == NULL)
		return -1;
	if ((v = json_get(line, "metrics")).p != NULL)
		return series_take(
		    &s->series, (unsigned)(stage - s->stages), v, err);
	if ((v = json_get(line, "unready")).p != NULL)
		return take_unready(stage, v, err);
	/* Counters are for readers of the pipe. */
	return 0;
}

uint32_t
state_running(const struct state *s)
{
	uint32_t running = 0;

	for (unsigned i = 0; i < s->count; i++)
		if (s->stages[i].running)
			running |= 1u << i;
	return running;
}
