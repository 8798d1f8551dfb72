#include "phase.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"
#include "process/log.h"

enum { OBJECTS = 4096, LONGEST = 96 };

struct phase {
	struct lru_entry entry; /* first */
	uint64_t since_ms;
	char text[LONGEST]; /* "phase Available", cut; empty: not known */
};

void
phase_init(struct lru *phases)
{
	lru_init(phases, sizeof(struct phase), OBJECTS);
}

static void
add_string(struct buf *b, struct span value)
{
	struct buf scratch = BUF_INIT;

	buf_addspan(b, json_string(value, &scratch));
	buf_release(&scratch);
}

/* "Ready True (AllThere)" */
static bool
add_condition(struct buf *b, struct span status, const char *type)
{
	struct span condition =
	    json_find(json_get(status, "conditions"), "type", type);

	if (condition.p == NULL)
		return false;
	buf_addf(b, "%s ", type);
	add_string(b, json_get(condition, "status"));
	if (json_type(json_get(condition, "reason")) == JSON_STRING) {
		buf_adds(b, " (");
		add_string(b, json_get(condition, "reason"));
		buf_addc(b, ')');
	}
	return true;
}

static void
add_phase(struct buf *b, struct span status)
{
	struct span phase = json_get(status, "phase");

	if (json_type(phase) == JSON_STRING) {
		buf_adds(b, "phase ");
		add_string(b, phase);
	} else if (!add_condition(b, status, "Ready")) {
		add_condition(b, status, "Available");
	}
}

/* Without the word that both begin with. */
static const char *
new_part(const char *was, const char *is)
{
	const char *space = strchr(is, ' ');
	size_t n = space != NULL ? (size_t)(space - is) + 1 : 0;

	return n > 0 && strncmp(was, is, n) == 0 ? is + n : is;
}

/* True: there is something to say, in b. */
static bool
is_news(struct phase *p, const char *text, uint64_t now_ms, struct buf *b)
{
	bool news = strcmp(text, p->text) != 0;

	if (news && *text != '\0' && *p->text == '\0')
		buf_adds(b, text);
	else if (news && *text != '\0')
		buf_addf(b, "%s -> %s after %.1f s", p->text,
		    new_part(p->text, text),
		    (double)(now_ms - p->since_ms) / 1000);
	if (news) {
		p->since_ms = now_ms;
		snprintf(p->text, sizeof(p->text), "%s", text);
	}
	return b->len > 0;
}

static void
say(const struct objref *id, const char *text)
{
	struct buf controller = BUF_INIT;
	char *ns = mem_dup(id->namespace_.p, id->namespace_.n);
	char *name = mem_dup(id->name.p, id->name.n);

	objref_add_kind(&controller, id->kind, id->group);
	for (size_t i = 0; i < controller.len; i++)
		controller.data[i] =
		    (char)tolower((unsigned char)controller.data[i]);
	log_write(LOG_INFO,
	    &(struct log_about){.controller = buf_str(&controller),
		.namespace_ = *ns != '\0' ? ns : NULL,
		.name = name},
	    "%s", text);
	buf_release(&controller);
	free(ns);
	free(name);
}

void
phase_note(struct lru *phases, const struct objref *id, struct span status,
    uint64_t now_ms)
{
	struct buf key = BUF_INIT, now = BUF_INIT, news = BUF_INIT;
	char text[LONGEST];

	if (id->uid.n == 0)
		return;
	objref_add_key(&key, id);
	buf_addf(&key, " %.*s", SPAN_ARG(id->uid));
	add_phase(&now, status);
	snprintf(text, sizeof(text), "%s", buf_str(&now));
	if (is_news(lru_touch(phases, buf_span(&key)), text, now_ms, &news))
		say(id, buf_str(&news));
	buf_release(&key);
	buf_release(&now);
	buf_release(&news);
}
