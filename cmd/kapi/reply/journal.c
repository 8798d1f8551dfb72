#include "reply/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "json/json.h"
#include "tree/tree.h"
#include "process/clock.h"
#include "process/file.h"
#include "process/log.h"
#include "request/request.h"
#include "store/store.h"
#include "type/objectmeta.h"

struct journal {
	int fd;
	char *file;
	bool failed;
	struct buf line;
	/* With JOURNAL_CHANGES. */
	bool changes;
	struct store *store; /* hook is in there */
	struct store_hook hook;
};

static const char hidden[] = "(redacted)";

struct journal *
journal_open(const char *file, enum journal_lines lines, struct err *err)
{
	struct journal *j;
	int fd = file_open_private(file, O_WRONLY | O_APPEND | O_CREAT);

	if (fd < 0) {
		err_set(err, ERR_PERMANENT, "cannot open %s: %s", file,
		    strerror(errno));
		return NULL;
	}
	j = mem_zalloc(sizeof(*j));
	j->fd = fd;
	j->file = mem_strdup(file);
	j->changes = lines == JOURNAL_CHANGES;
	return j;
}

void
journal_free(struct journal *j)
{
	if (j == NULL)
		return;
	close(j->fd);
	buf_release(&j->line);
	free(j->file);
	free(j);
}

static void
add_text(struct buf *b, const char *key, struct span text)
{
	if (text.n == 0)
		return;
	json_add_key(b, key);
	json_add_string(b, text);
}

static void
add_number(struct buf *b, const char *key, uint64_t n)
{
	json_add_key(b, key);
	buf_addf(b, "%" PRIu64, n);
}

/* Hides a member: all values of a map, or the whole. */
static void
hide(struct arena *a, struct node *object, const char *key)
{
	struct node *value = tree_get(object, key);

	for (uint32_t i = 0; i < tree_members(value); i++)
		value->members[i].value = tree_str(a, hidden);
	if (value != NULL && !tree_is(value, NODE_OBJECT))
		tree_put(a, object, key, tree_str(a, hidden));
}

static void
redact(struct arena *a, struct span plural, struct node *body)
{
	bool secret = span_is(plural, "secrets") ||
	    tree_text_is(tree_get(body, "kind"), "Secret");

	if (span_is(plural, "tokenreviews"))
		hide(a, tree_get(body, "spec"), "token");
	if (!secret)
		return;
	/* A JSON patch: any value may be one of the data, or all of it. */
	for (uint32_t i = 0; i < tree_items(body); i++)
		if (tree_is(body->items[i], NODE_OBJECT))
			hide(a, body->items[i], "value");
	hide(a, body, "data");
	hide(a, body, "stringData");
	hide(a, tree_get(body, "metadata"), "annotations");
}

static bool
contains(struct span text, const char *word)
{
	return text.n > 0 && memmem(text.p, text.n, word, strlen(word)) != NULL;
}

/* The body as a tree; NULL if there is none, or it cannot be read. */
static struct node *
read_body(struct request *r, struct span type)
{
	struct span body = r->http->body;
	struct node *n;

	if (body.n == 0 || contains(type, "protobuf"))
		return NULL;
	n = contains(type, "yaml")
	    ? tree_parse_yaml(&r->arena, body, NULL, NULL)
	    : tree_parse(&r->arena, body, TREE_LIMITS, NULL, NULL);
	if (!tree_is(n, NODE_OBJECT) && !tree_is(n, NODE_ARRAY))
		return NULL;
	redact(&r->arena, r->plural, n);
	return n;
}

static void
add_target(struct buf *b, const struct request *r, const struct node *body)
{
	struct span name = r->name;

	if (name.n == 0 && r->verb == REQUEST_CREATE)
		name = tree_path_text(body, "metadata.name");
	add_text(b, "verb", span_str(request_verb_name(r->verb)));
	add_text(b, "method", r->http->method);
	add_text(b, "path", r->http->path);
	add_text(b, "query", r->http->query);
	add_text(b, "group", r->group);
	add_text(b, "version", r->version);
	add_text(b, "resource", r->plural);
	add_text(b, "subresource", r->subresource);
	add_text(b, "namespace", r->namespace_);
	add_text(b, "name", name);
}

static void
add_request(struct buf *b, struct request *r, int code, struct span reason)
{
	struct span type = httpd_header(r->http, "content-type");
	struct node *body = read_body(r, type);

	add_number(b, "number", r->number);
	add_text(b, "time", objectmeta_time_now_micro(&r->arena));
	add_text(b, "user", r->user);
	add_text(b, "userAgent", r->user_agent);
	add_target(b, r, body);
	add_number(b, "code", (uint64_t)code);
	add_text(b, "reason", reason);
	if (r->forbidden)
		add_text(b, "decision", span_str("forbid"));
	add_text(b, "fieldManager", r->field_manager);
	if (r->http->body.n > 0)
		add_text(b, "contentType", type);
	if (body != NULL) {
		json_add_key(b, "body");
		tree_write(b, body);
	} else if (r->http->body.n > 0)
		add_number(b, "bodyBytes", r->http->body.n);
	if (r->result_version > 0) {
		json_add_key(b, "resourceVersion");
		buf_addf(b, "\"%" PRIu64 "\"", r->result_version);
	}
	if (r->verb >= REQUEST_CREATE && r->verb < REQUEST_OTHER) {
		json_add_key(b, "changed");
		buf_adds(b, r->changed ? "true" : "false");
	}
	if (r->fault != NULL)
		add_text(b, "fault", span_str(r->fault));
}

static void
put(struct journal *j)
{
	buf_adds(&j->line, "}\n");
	if (file_write(j->fd, buf_span(&j->line)) == 0)
		return;
	if (!j->failed)
		log_error("cannot write %s: %s", j->file, strerror(errno));
	j->failed = true;
}

void
journal_write(
    struct journal *j, struct request *r, int code, struct span reason)
{
	if (j == NULL)
		return;
	buf_reset(&j->line);
	buf_addc(&j->line, '{');
	add_request(&j->line, r, code, reason);
	put(j);
}

void
journal_pause(struct journal *j, struct request *r, int code)
{
	if (j == NULL)
		return;
	buf_reset(&j->line);
	buf_addc(&j->line, '{');
	add_number(&j->line, "paused", r->number);
	add_request(&j->line, r, code, SPAN_NONE);
	put(j);
}

static void
add_object(struct buf *b, struct collection *c, struct span json)
{
	struct arena a = ARENA_INIT;
	struct node *object;

	json_add_key(b, "object");
	if (!span_is(store_collection_plural(c), "secrets")) {
		buf_addspan(b, json);
		return;
	}
	object = tree_parse(&a, json, TREE_LIMITS, NULL, NULL);
	redact(&a, store_collection_plural(c), object);
	tree_write(b, object);
	arena_release(&a);
}

static void
on_change(void *arg, struct collection *c, const struct store_change *change)
{
	static const char *const types[] = {"ADDED", "MODIFIED", "DELETED"};
	struct journal *j = arg;
	struct buf *b = &j->line;
	const struct request *r = change->by;
	char now[CLOCK_RFC3339_MAX];

	buf_reset(b);
	buf_addc(b, '{');
	add_text(b, "change", span_str(types[change->type]));
	if (r != NULL) {
		add_number(b, "number", r->number);
		add_text(b, "userAgent", r->user_agent);
	}
	clock_format_us(clock_real_us(), now);
	add_text(b, "time", span_str(now));
	add_object(b, c, text_span(change->now->json));
	put(j);
}

void
journal_follow(struct journal *j, struct store *s)
{
	if (j == NULL || !j->changes)
		return;
	if (j->store != NULL)
		store_remove_hook(j->store, NULL, &j->hook);
	j->store = s;
	if (s == NULL)
		return;
	j->hook = (struct store_hook){on_change, j, NULL};
	store_add_hook(s, NULL, &j->hook);
}
