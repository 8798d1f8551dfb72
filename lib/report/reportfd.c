#include "report/reportfd.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"

enum { PERIOD_MS = 5000, TEXT_MAX = 500 };

struct reason {
	struct reason *next;
	char *about, *text; /* owned */
};

static void
reason_free(struct reason *reason)
{
	free(reason->about);
	free(reason->text);
	free(reason);
}

void
reportfd_init(struct reportfd *r, struct loop *l, const char *tool, int fd,
    reportfd_fn *fill, void *arg)
{
	*r = (struct reportfd){
	    .loop = l, .tool = tool, .fd = fd, .fill = fill, .arg = arg};
}

void
reportfd_metrics(struct reportfd *r, reportfd_metrics_fn *fn)
{
	r->metrics = fn;
}

void
reportfd_release(struct reportfd *r)
{
	if (r->loop != NULL)
		loop_follow(r->loop, 0, NULL, NULL);
	free(r->said);
	r->said = NULL;
	r->said_count = 0;
	while (r->reasons != NULL) {
		struct reason *first = r->reasons;

		r->reasons = first->next;
		reason_free(first);
	}
}

/*
 * A pipe with room takes PIPE_BUF bytes at once, and all lines here are
 * shorter; O_NONBLOCK would affect every process that shares the descriptor.
 */
static bool
say(struct reportfd *r, struct span text)
{
	struct pollfd p = {r->fd, POLLOUT, 0};

	if (poll(&p, 1, 0) != 1)
		return false;
	if (write(r->fd, text.p, text.n) < 0)
		r->fd = -1;
	return true;
}

/* Reasons that do not fit in one write are left out: the first ones are
 * enough. */
static void
say_unready(struct reportfd *r)
{
	struct buf b = BUF_INIT;

	if (r->fd < 0)
		return;
	buf_addf(&b, "{\"tool\":\"%s\",\"unready\":{", r->tool);
	for (struct reason *i = r->reasons; i != NULL; i = i->next) {
		size_t before = b.len;

		json_add_key(&b, i->about);
		json_add_str(&b, i->text);
		if (b.len + 3 > PIPE_BUF) {
			b.len = before;
			break;
		}
	}
	buf_adds(&b, "}}\n");
	r->unsaid = !say(r, buf_span(&b));
	if (r->unsaid)
		reportfd_again(r);
	buf_release(&b);
}

/* Lines that differ from the last report in their place; those that did not fit
 * into the pipe come with the next one. */
static void
say_changed(struct reportfd *r, struct span lines)
{
	for (size_t i = 0; lines.n > 0; i++) {
		const char *newline = span_find(lines, '\n');
		size_t n = (size_t)(newline - lines.p) + 1;
		struct span line = span_make(lines.p, n);
		uint64_t digest = hash_text(line);

		lines = span_skip(lines, n);
		if (i >= r->said_count) {
			r->said = mem_grow(r->said, i, sizeof(*r->said));
			r->said[i] = 0;
			r->said_count = i + 1;
		}
		if (digest == r->said[i])
			continue;
		if (say(r, line))
			r->said[i] = digest;
		else
			reportfd_again(r);
	}
}

static void
report(void *arg)
{
	struct reportfd *r = arg;
	struct metric_lines lines;
	struct buf b = BUF_INIT;

	if (r->fd < 0)
		return;
	if (r->unsaid)
		say_unready(r);
	if (r->fill == NULL)
		return;
	buf_addf(&b, "{\"tool\":\"%s\",\"counters\":{", r->tool);
	r->fill(r->arg, &b);
	buf_adds(&b, "}}\n");
	metric_lines_init(&lines, r->tool, &b);
	if (r->metrics != NULL)
		r->metrics(r->arg, &lines);
	metric_lines_end(&lines);
	say_changed(r, buf_span(&b));
	buf_release(&b);
}

void
reportfd_unready(struct reportfd *r, const char *about, const char *text)
{
	struct reason **at = &r->reasons, *found;
	int order = 1;

	while (*at != NULL && (order = strcmp((*at)->about, about)) < 0)
		at = &(*at)->next;
	found = *at != NULL && order == 0 ? *at : NULL;
	if (found == NULL ? text == NULL
			  : text != NULL && strcmp(found->text, text) == 0)
		return;
	if (found != NULL) {
		*at = found->next;
		reason_free(found);
	}
	if (text != NULL) {
		found = mem_alloc(sizeof(*found));
		*found = (struct reason){.next = *at,
		    .about = mem_strdup(about),
		    .text = mem_dup(text, utf8_cut(span_str(text), TEXT_MAX))};
		*at = found;
	}
	say_unready(r);
}

void
reportfd_ready(struct reportfd *r)
{
	if (r->ready || r->fd < 0)
		return;
	r->ready = true;
	say(r, span_str("\n"));
	if (r->unsaid)
		say_unready(r);
	if (r->fill != NULL)
		loop_follow(r->loop, PERIOD_MS, report, r);
}

void
reportfd_again(struct reportfd *r)
{
	loop_follow_on(r->loop);
}

void
reportfd_send(struct reportfd *r)
{
	if (r->ready)
		report(r);
}

int
reportfd_now(struct reportfd *r, const char *name, struct span counts)
{
	struct buf b = BUF_INIT;
	bool said;

	if (!r->ready || r->fd < 0)
		return -1;
	buf_addf(&b, "{\"tool\":\"%s\",\"%s\":{%.*s}}\n", r->tool, name,
	    SPAN_ARG(counts));
	said = say(r, buf_span(&b));
	buf_release(&b);
	return said ? 0 : -1;
}

void
reportfd_count(struct buf *b, const char *name, uint64_t n)
{
	json_add_key(b, name);
	json_add_int(b, (int64_t)n);
}
