#include "observed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"

enum field { USER, AGENT, VERB, GROUP, RESOURCE, NAMESPACE, NAME, FIELDS };

static const char *const field_names[FIELDS] = {
    "user", "agent", "verb", "group", "resource", "namespace", "name"};

/* An audit log, and kapi's journal: the paths of each. */
static const struct format {
	const char *mark; /* a member that only lines of this format have */
	const char *fields[FIELDS];
	const char *subresource, *code;
} formats[] = {
    {"auditID",
	{"user.username", "userAgent", "verb", "objectRef.apiGroup",
	    "objectRef.resource", "objectRef.namespace", "objectRef.name"},
	"objectRef.subresource", "responseStatus.code"},
    {"number",
	{"user", "userAgent", "verb", "group", "resource", "namespace", "name"},
	"subresource", "code"},
};

struct api_use {
	struct span fields[FIELDS];
	struct span subresource;
	int64_t code;
	bool refused;
};

struct seen {
	char *key; /* all fields, a NUL behind each, and whether refused */
	size_t n;
	long count;
};

static struct span
text(struct span object, const char *path, struct arena *names)
{
	struct span s = json_name(json_path(object, path), names);

	return s.p == NULL ? span_str("") : s;
}

static bool
take_fields(struct span line, struct api_use *r, struct arena *names)
{
	const struct format *f = formats;
	struct span decision, agent;

	while (
	    f < formats + COUNT(formats) && json_get(line, f->mark).p == NULL)
		f++;
	if (f == formats + COUNT(formats))
		return false;
	for (int i = 0; i < FIELDS; i++)
		r->fields[i] = text(line, f->fields[i], names);
	agent = r->fields[AGENT];
	r->fields[AGENT] = span_cut(&agent, '/');
	r->subresource = text(line, f->subresource, names);
	json_int(json_path(line, f->code), &r->code);
	/* 403 is also the answer of a quota or a policy: only the decision
	 * tells. */
	decision = json_raw_string(json_get(
	    json_get(line, "annotations"), "authorization.k8s.io/decision"));
	if (f != formats)
		decision = text(line, "decision", names);
	r->refused =
	    decision.p != NULL ? span_is(decision, "forbid") : r->code == 403;
	return true;
}

/* Whether the request is about a right at all. */
static bool
is_counted(struct span line, const struct api_use *r)
{
	struct span stage = json_raw_string(json_get(line, "stage"));
	struct span resource = r->fields[RESOURCE];

	if (stage.p != NULL && !span_is(stage, "ResponseComplete") &&
	    !span_is(stage, "ResponseStarted"))
		return false;
	return resource.n > 0 && !span_starts(resource, "selfsubject");
}

static void
count(struct map *all, const struct api_use *r)
{
	struct buf key = BUF_INIT;
	struct seen *s;

	for (int i = 0; i < FIELDS; i++) {
		buf_addspan(&key, r->fields[i]);
		if (i == RESOURCE && r->subresource.n > 0) {
			buf_addc(&key, '/');
			buf_addspan(&key, r->subresource);
		}
		buf_addc(&key, '\0');
	}
	buf_addc(&key, r->refused ? '1' : '0');
	s = map_get(all, buf_span(&key));
	if (s == NULL) {
		s = mem_zalloc(sizeof(*s));
		s->n = key.len;
		s->key = buf_take(&key);
		map_put(all, span_make(s->key, s->n), s);
	}
	s->count++;
	buf_release(&key);
}

static int
add_line(struct map *all, const char *path, int number, struct span line,
    struct arena *names, struct err *err)
{
	struct api_use r = {.code = 0};
	struct err bad = ERR_INIT;

	line = span_trim(line, SPAN_BLANKS);
	if (line.n == 0)
		return 0;
	if (json_check(line, &bad) != 0)
		return err_set(
		    err, ERR_PERMANENT, "%s:%d: %s", path, number, bad.message);
	if (!take_fields(line, &r, names))
		return err_set(err, ERR_PERMANENT,
		    "%s:%d: neither a line of kapi's journal nor of an audit "
		    "log",
		    path, number);
	if (!is_counted(line, &r))
		return 0;
	count(all, &r);
	/* A server-side apply that creates needs both rights. */
	if (r.code == 201 && span_is(r.fields[VERB], "patch")) {
		r.fields[VERB] = span_str("create");
		r.fields[NAME] = span_str("");
		count(all, &r);
	}
	if (all->count > OBSERVED_MAX)
		return err_set(err, ERR_PERMANENT,
		    "%s: more than %d different requests", path, OBSERVED_MAX);
	return 0;
}

static jv
to_jv(struct map *all)
{
	struct seen **sorted = (struct seen **)map_sorted(all);
	jv list = jv_array();

	for (size_t i = 0; i < all->count; i++) {
		const char *at = sorted[i]->key;
		jv r = jv_object();

		for (int k = 0; k < FIELDS; k++) {
			r = jv_object_set(
			    r, jv_string(field_names[k]), jv_string(at));
			at += strlen(at) + 1;
		}
		r = jv_object_set(r, jv_string("refused"),
		    *at == '1' ? jv_true() : jv_false());
		r = jv_object_set(
		    r, jv_string("count"), jv_number((double)sorted[i]->count));
		list = jv_array_append(list, r);
	}
	free(sorted);
	return list;
}

static void
release(struct map *all)
{
	struct seen *s;

	for (size_t i = 0; (s = map_next(all, &i)) != NULL;) {
		free(s->key);
		free(s);
	}
	map_release(all);
}

jv
observed_load(const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	struct map all = MAP_INIT;
	struct arena names = ARENA_INIT;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int number = 0, rc = 0;
	jv list = jv_invalid();

	if (f == NULL) {
		err_set(err, ERR_PERMANENT, "cannot read %s: %s", path,
		    strerror(errno));
		return list;
	}
	while (rc == 0 && (n = getline(&line, &room, f)) >= 0) {
		arena_reset(&names);
		rc = n > (ssize_t)OBSERVED_LINE_MAX_MIB << 20
		    ? err_set(err, ERR_PERMANENT, "%s:%d: too long", path,
			  number + 1)
		    : add_line(&all, path, ++number, span_make(line, (size_t)n),
			  &names, err);
	}
	if (rc == 0)
		list = to_jv(&all);
	arena_release(&names);
	free(line);
	fclose(f);
	release(&all);
	return list;
}
