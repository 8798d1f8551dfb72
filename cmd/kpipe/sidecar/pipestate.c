#include "sidecar/pipestate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "json/json.h"

struct sample {
	struct sample *next;
	char *text; /* owned: "NAME":VALUE */
	size_t key_len, len;
	bool due;
};

/* The key with its quotes; the span that the map holds. */
static struct span
sample_key(const struct sample *s)
{
	return span_make(s->text, s->key_len);
}

static void
forget_samples(struct pipestate_stage *stage)
{
	map_release(&stage->samples);
	stage->samples = (struct map)MAP_INIT;
	while (stage->first != NULL) {
		struct sample *s = stage->first;

		stage->first = s->next;
		free(s->text);
		free(s);
	}
	stage->end = NULL;
	stage->due = false;
}

void
pipestate_forget(struct pipestate *p, size_t i)
{
	struct pipestate_stage *stage = &p->stages[i];

	buf_reset(&stage->counters.text);
	buf_reset(&stage->unready.text);
	stage->counters.due = stage->unready.due = false;
	forget_samples(stage);
}

void
pipestate_release(struct pipestate *p)
{
	buf_release(&p->state.text);
	for (size_t i = 0; i < PIPESTATE_STAGES_MAX; i++) {
		forget_samples(&p->stages[i]);
		buf_release(&p->stages[i].counters.text);
		buf_release(&p->stages[i].unready.text);
	}
}

static void
set_line(struct pipestate_line *to, struct span line)
{
	size_t n = to->text.len;

	if (n == line.n + 1 && memcmp(to->text.data, line.p, line.n) == 0)
		return;
	buf_reset(&to->text);
	buf_addspan(&to->text, line);
	buf_addc(&to->text, '\n');
	to->due = true;
}

void
pipestate_set(struct pipestate *p, struct span line)
{
	set_line(&p->state, line);
}

static void
add_sample(struct pipestate_stage *stage, struct span key, struct span value)
{
	struct buf text = BUF_INIT;
	struct sample *s;
	size_t key_len;

	buf_addc(&text, '"');
	buf_addspan(&text, key);
	buf_addc(&text, '"');
	key_len = text.len;
	s = map_get(&stage->samples, buf_span(&text));
	buf_addc(&text, ':');
	buf_addspan(&text, value);
	if (s == NULL ? stage->samples.count >= PIPESTATE_SAMPLES_MAX
		      : span_eq(span_make(s->text, s->len), buf_span(&text))) {
		buf_release(&text);
		return;
	}
	if (s != NULL) {
		map_del(&stage->samples, sample_key(s));
		free(s->text);
	} else {
		s = mem_zalloc(sizeof(*s));
		if (stage->first == NULL)
			stage->end = &stage->first;
		*stage->end = s;
		stage->end = &s->next;
	}
	s->key_len = key_len;
	s->len = text.len;
	s->text = buf_take(&text);
	s->due = stage->due = true;
	map_put(&stage->samples, sample_key(s), s);
}

bool
pipestate_report(
    struct pipestate *p, size_t i, const char *tool, struct span line)
{
	struct pipestate_stage *stage = &p->stages[i];
	struct span metrics;

	stage->tool = tool;
	if (line.n >= PIPESTATE_LINE_MAX || json_check(line, NULL) != 0)
		return false;
	metrics = json_get(line, "metrics");
	if (json_type(json_get(line, "counters")) == JSON_OBJECT) {
		set_line(&stage->counters, line);
	} else if (json_type(json_get(line, "unready")) == JSON_OBJECT) {
		set_line(&stage->unready, line);
	} else if (json_type(metrics) == JSON_OBJECT) {
		struct json_members m = json_members(metrics);

		while (json_member(&m))
			add_sample(stage, m.key, m.value);
	} else {
		return false;
	}
	return true;
}

void
pipestate_again(struct pipestate *p)
{
	p->state.due = p->state.text.len > 0;
	for (size_t i = 0; i < PIPESTATE_STAGES_MAX; i++) {
		struct pipestate_stage *stage = &p->stages[i];

		stage->counters.due = stage->counters.text.len > 0;
		stage->unready.due = stage->unready.text.len > 0;
		stage->due = stage->samples.count > 0;
		for (struct sample *s = stage->first; s != NULL; s = s->next)
			s->due = true;
	}
}

/* Writes all or nothing, as a pipe does with up to PIPE_BUF bytes. */
static enum pipestate_result
write_whole(int fd, struct span text)
{
	ssize_t n;

	do
		n = write(fd, text.p, text.n);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return PIPESTATE_WRITTEN;
	return errno == EAGAIN ? PIPESTATE_FULL : PIPESTATE_FAILED;
}

static enum pipestate_result
write_line(struct pipestate_line *line, int fd)
{
	enum pipestate_result result;

	if (!line->due)
		return PIPESTATE_WRITTEN;
	result = write_whole(fd, buf_span(&line->text));
	if (result == PIPESTATE_WRITTEN)
		line->due = false;
	return result;
}

/* Fills one line with due samples; at least one. */
static size_t
fill_line(
    struct pipestate_stage *stage, struct sample **taken, struct buf *line)
{
	size_t count = 0;

	buf_reset(line);
	buf_addf(line, "{\"tool\":\"%s\",\"metrics\":{", stage->tool);
	for (struct sample *s = stage->first; s != NULL; s = s->next) {
		if (!s->due)
			continue;
		if (count > 0 && line->len + s->len + 4 > PIPESTATE_LINE_MAX)
			break;
		json_add_comma(line);
		buf_add(line, s->text, s->len);
		taken[count++] = s;
	}
	buf_adds(line, "}}\n");
	return count;
}

static enum pipestate_result
write_samples(struct pipestate_stage *stage, int fd)
{
	struct sample **taken;
	struct buf line = BUF_INIT;
	enum pipestate_result result = PIPESTATE_WRITTEN;
	size_t n;

	if (!stage->due)
		return PIPESTATE_WRITTEN;
	taken = mem_array(NULL, stage->samples.count, sizeof(*taken));
	while (result == PIPESTATE_WRITTEN &&
	    (n = fill_line(stage, taken, &line)) > 0) {
		result = write_whole(fd, buf_span(&line));
		for (size_t i = 0; result == PIPESTATE_WRITTEN && i < n; i++)
			taken[i]->due = false;
	}
	stage->due = result != PIPESTATE_WRITTEN;
	buf_release(&line);
	free(taken);
	return result;
}

enum pipestate_result
pipestate_write(struct pipestate *p, int fd)
{
	enum pipestate_result result = write_line(&p->state, fd);

	for (size_t i = 0; i < PIPESTATE_STAGES_MAX; i++) {
		struct pipestate_stage *stage = &p->stages[i];

		if (result == PIPESTATE_WRITTEN)
			result = write_line(&stage->unready, fd);
		if (result == PIPESTATE_WRITTEN)
			result = write_line(&stage->counters, fd);
		if (result == PIPESTATE_WRITTEN)
			result = write_samples(stage, fd);
	}
	return result;
}
