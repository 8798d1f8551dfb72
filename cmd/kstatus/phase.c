#include "phase.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"
#include "process/log.h"

enum { OBJECTS = 4096, LONGEST = 96 };

struct phase {
	struct lru_entry entry; /* the first member */
	uint64_t since_ms;
	char text[LONGEST]; /* "phase Available", cut; empty: not known */
};

void
phase_init(struct lru *phases)
{
	lru_init(phases, sizeof(struct phase), OBJECTS);
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
	json_add_decoded(b, json_get(condition, "status"));
	if (json_type(json_get(condition, "reason")) == JSON_STRING) {
		buf_adds(b, " (");
		json_add_decoded(b, json_get(condition, "reason"));
		buf_addc(b, ')');
	}
	return true;
}

/* Describes the change in b; nothing, if there is none. */
static void
add_news(struct buf *b, struct phase *p, const char *text, uint64_t now_ms)
{
	const char *space = strchr(text, ' '), *rest = text;

	if (strcmp(text, p->text) == 0)
		return;
	/* Without the word that both begin with. */
	if (space != NULL &&
	    strncmp(p->text, text, (size_t)(space - text) + 1) == 0)
		rest = space + 1;
	if (*text != '\0' && *p->text == '\0')
		buf_adds(b, text);
	else if (*text != '\0')
		buf_addf(b, "%s -> %s after %.1f s", p->text, rest,
		    (double)(now_ms - p->since_ms) / 1000);
	p->since_ms = now_ms;
	snprintf(p->text, sizeof(p->text), "%s", text);
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
	struct span phase = json_get(status, "phase");
	char text[LONGEST];

	if (id->uid.n == 0)
		return;
	objref_add_key(&key, id);
	buf_addf(&key, " %.*s", SPAN_ARG(id->uid));
	if (json_type(phase) == JSON_STRING) {
		buf_adds(&now, "phase ");
		json_add_decoded(&now, phase);
	} else if (!add_condition(&now, status, "Ready")) {
		add_condition(&now, status, "Available");
	}
	snprintf(text, sizeof(text), "%s", buf_str(&now));
	add_news(&news, lru_touch(phases, buf_span(&key)), text, now_ms);
	if (news.len > 0)
		say(id, buf_str(&news));
	buf_release(&key);
	buf_release(&now);
	buf_release(&news);
}
