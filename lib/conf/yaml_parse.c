/* Part of conf/yaml.h: from text to a tree, on libyaml. */
#include "conf/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/span.h"
#include "base/utf8.h"
#include "conf/yaml11.h"
#include "process/file.h"
#include "value/base64.h"

enum { FILE_MAX_MIB = 8, DEPTH_MAX = 100 };

/* Bytes of nodes and texts that anchors and aliases of a document copy: a few
 * lines of aliases can stand for more than any memory. */
enum { ANCHORED_MAX = 64 * 1024 * 1024 };

struct anchor {
	char *name;	   /* owned */
	struct yaml *node; /* owned; NULL: too much was copied */
};

struct anchors {
	struct anchor *items; /* owned */
	size_t count;
	size_t copied; /* bytes */
};

static struct anchor *
find_anchor(const struct anchors *a, const char *name)
{
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->items[i].name, name) == 0)
			return &a->items[i];
	return NULL;
}

static void
anchors_release(struct anchors *a)
{
	for (size_t i = 0; i < a->count; i++) {
		free(a->items[i].name);
		yaml_tree_free(a->items[i].node);
	}
	free(a->items);
	*a = (struct anchors){0};
}

/* A copy, owned; NULL: that would be more than ANCHORED_MAX. */
static struct yaml *
anchors_copy(struct anchors *a, const struct yaml *node)
{
	struct yaml *y;

	a->copied += sizeof(*y) + (node->text ? strlen(node->text) : 0);
	if (a->copied > ANCHORED_MAX)
		return NULL;
	y = mem_zalloc(sizeof(*y));
	y->type = node->type;
	y->line = node->line;
	y->quoted = node->quoted;
	if (node->text != NULL)
		y->text = mem_strdup(node->text);
	for (size_t i = 0; i < node->count; i++) {
		bool mapping = node->type == YAML_MAPPING;
		struct yaml *key =
		    mapping ? anchors_copy(a, node->keys[i]) : NULL;
		struct yaml *value = anchors_copy(a, node->values[i]);

		if (value == NULL || (mapping && key == NULL)) {
			yaml_tree_free(key);
			yaml_tree_free(value);
			yaml_tree_free(y);
			return NULL;
		}
		yaml_append(y, key, value);
	}
	return y;
}

/* Keeps a copy of node under that name, from now on. */
static void
anchors_set(struct anchors *a, const char *name, const struct yaml *node)
{
	struct anchor *at = find_anchor(a, name);

	if (at == NULL) {
		a->items = mem_grow(a->items, a->count, sizeof(*a->items));
		at = &a->items[a->count++];
		*at = (struct anchor){.name = mem_strdup(name)};
	}
	yaml_tree_free(at->node);
	at->node = anchors_copy(a, node);
}

/* The node of that name, borrowed; NULL: none. */
static const struct yaml *
anchors_get(const struct anchors *a, const char *name)
{
	const struct anchor *at = find_anchor(a, name);

	return at != NULL ? at->node : NULL;
}

struct reader {
	const char *name;
	struct span text;
	yaml_parser_t parser;
	yaml_event_t event; /* valid while have is true */
	bool have;
	int depth;
	struct anchors anchors;
	struct err *err;
};

static int
fail_at(struct reader *r, size_t line, const char *what)
{
	return err_set(
	    r->err, ERR_PERMANENT, "%s:%zu: %s", r->name, line + 1, what);
}

/* 1 = first */
static size_t
line_of(struct span text, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset && i < text.n; i++)
		line += text.p[i] == '\n';
	return line;
}

static int
fail_syntax(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	const char *problem = p->problem ? p->problem : "not YAML";

	if (p->error == YAML_MEMORY_ERROR)
		mem_exhausted(NULL);
	/* A bad byte has an offset only. */
	if (p->error == YAML_READER_ERROR)
		return err_set(r->err, ERR_PERMANENT, "%s:%zu: %s (byte %zu)",
		    r->name, line_of(r->text, p->problem_offset), problem,
		    p->problem_offset);
	if (p->context != NULL)
		return err_set(r->err, ERR_PERMANENT, "%s:%zu: %s %s", r->name,
		    p->problem_mark.line + 1, problem, p->context);
	return fail_at(r, p->problem_mark.line, problem);
}

static int
next_event(struct reader *r)
{
	if (r->have)
		yaml_event_delete(&r->event);
	r->have = yaml_parser_parse(&r->parser, &r->event) == 1;
	return r->have ? 0 : fail_syntax(r);
}

static struct yaml *
node_new(const struct reader *r, enum yaml_type type)
{
	struct yaml *y = mem_zalloc(sizeof(*y));

	y->type = type;
	y->line = (int)r->event.start_mark.line + 1;
	return y;
}

static struct yaml *
fail_node(struct reader *r, const char *what)
{
	fail_at(r, r->event.start_mark.line, what);
	return NULL;
}

enum tag {
	TAG_NONE,
	TAG_STR,
	TAG_BINARY,
	TAG_INT,
	TAG_FLOAT,
	TAG_BOOL,
	TAG_NULL,
	TAG_COLLECTION,
	TAG_OTHER
};

static enum tag
tag_of(const yaml_char_t *text)
{
	static const char prefix[] = "tag:yaml.org,2002:";
	static const struct {
		const char *name;
		enum tag tag;
	} names[] = {{"str", TAG_STR}, {"binary", TAG_BINARY}, {"int", TAG_INT},
	    {"float", TAG_FLOAT}, {"bool", TAG_BOOL}, {"null", TAG_NULL},
	    {"map", TAG_COLLECTION}, {"seq", TAG_COLLECTION}};
	const char *tag = (const char *)text;

	if (tag == NULL)
		return TAG_NONE;
	if (strcmp(tag, "!") == 0)
		return TAG_STR;
	if (strncmp(tag, prefix, sizeof(prefix) - 1) != 0)
		return TAG_OTHER;
	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(tag + sizeof(prefix) - 1, names[i].name) == 0)
			return names[i].tag;
	return TAG_OTHER;
}

static void
set_text(struct yaml *y, struct buf *text)
{
	free(y->text);
	y->text = buf_take(text);
}

static bool
is_utf8(struct span s)
{
	const char *end = s.p + s.n;
	size_t n = 1;

	for (const char *p = s.p; p < end && n > 0; p += n)
		n = utf8_length(p, end);
	return n > 0;
}

static const char *
decode_binary(struct yaml *y)
{
	struct buf b = BUF_INIT;
	const char *why = NULL;

	if (base64_decode(span_str(y->text), BASE64_BLANKS, &b, NULL) != 0)
		why = "!!binary holds what is not base64";
	else if (memchr(buf_str(&b), '\0', b.len) != NULL ||
	    !is_utf8(buf_span(&b)))
		why = "!!binary holds bytes that are not UTF-8 text";
	else
		set_text(y, &b);
	buf_release(&b);
	return why;
}

/* Makes the text what its tag says; a message if that cannot be. */
static const char *
apply_tag(struct yaml *y, enum tag tag)
{
	struct buf number = BUF_INIT;
	enum yaml11_number found = YAML11_TEXT;
	bool value, good = true;

	y->quoted = y->quoted && (tag == TAG_NONE || tag == TAG_COLLECTION);
	if (tag == TAG_STR || tag == TAG_BINARY)
		y->quoted = true;
	if (tag == TAG_BINARY)
		return decode_binary(y);
	if (tag == TAG_INT || tag == TAG_FLOAT)
		found = yaml11_number(y->text, &number);
	if (tag == TAG_INT)
		good = found == YAML11_INTEGER;
	else if (tag == TAG_FLOAT)
		good = found != YAML11_TEXT;
	else if (tag == TAG_NULL)
		good = yaml_is_null(y);
	else if (tag == TAG_BOOL && (good = yaml11_bool(y->text, &value)))
		buf_adds(&number, value ? "true" : "false");
	if (number.len > 0)
		set_text(y, &number);
	buf_release(&number);
	return good ? NULL : "the text is not what its tag says";
}

static struct yaml *
read_scalar(struct reader *r)
{
	enum tag tag = tag_of(r->event.data.scalar.tag);
	size_t n = r->event.data.scalar.length;
	const char *text = (const char *)r->event.data.scalar.value, *why;
	struct yaml *y;

	if (tag == TAG_OTHER)
		return fail_node(r, "this tag is not supported");
	if (memchr(text, '\0', n) != NULL)
		return fail_node(r, "a text holds NUL");
	y = node_new(r, YAML_SCALAR);
	y->text = mem_dup(text, n);
	y->quoted = r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	why = apply_tag(y, tag);
	if (why == NULL)
		return y;
	yaml_tree_free(y);
	return fail_node(r, why);
}

static struct yaml *read_node(struct reader *r);

static struct yaml *
read_sequence(struct reader *r)
{
	struct yaml *y = node_new(r, YAML_SEQUENCE);

	for (;;) {
		struct yaml *value;

		if (next_event(r) != 0)
			break;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return y;
		value = read_node(r);
		if (value == NULL)
			break;
		yaml_append(y, NULL, value);
	}
	yaml_tree_free(y);
	return NULL;
}

/* The place of the member, or count. */
static size_t
member_at(const struct yaml *mapping, const char *key)
{
	size_t i = 0;

	while (i < mapping->count && strcmp(mapping->keys[i]->text, key) != 0)
		i++;
	return i;
}

/* A merged member gives way to one that comes later. Takes key and value. */
static void
set_member(struct yaml *mapping, struct yaml *key, struct yaml *value)
{
	size_t at = member_at(mapping, key->text);

	if (at == mapping->count) {
		yaml_append(mapping, key, value);
		return;
	}
	yaml_tree_free(mapping->keys[at]);
	yaml_tree_free(mapping->values[at]);
	mapping->keys[at] = key;
	mapping->values[at] = value;
}

/* Moves the members of one that is merged. */
static void
merge_members(struct yaml *mapping, struct yaml *from)
{
	for (size_t i = 0; i < from->count; i++) {
		from->keys[i]->merged = true;
		set_member(mapping, from->keys[i], from->values[i]);
	}
	from->count = 0;
}

static int
merge(struct reader *r, struct yaml *mapping, struct yaml *value)
{
	bool good = value->type == YAML_MAPPING;

	for (size_t i = value->count;
	     value->type == YAML_SEQUENCE && i-- > 0;) {
		good = value->values[i]->type == YAML_MAPPING;
		if (!good)
			break;
		merge_members(mapping, value->values[i]);
	}
	if (!good)
		return err_set(r->err, ERR_PERMANENT,
		    "%s:%d: << needs a mapping, or a list of mappings", r->name,
		    value->line);
	if (value->type == YAML_MAPPING)
		merge_members(mapping, value);
	return 0;
}

/* Takes both, also if it fails. */
static int
add_member(struct reader *r, struct yaml *mapping, struct yaml *key,
    struct yaml *value)
{
	size_t at = member_at(mapping, key->text);
	int rc = 0;

	if (!key->quoted && strcmp(key->text, "<<") == 0) {
		rc = merge(r, mapping, value);
	} else if (at < mapping->count && !mapping->keys[at]->merged) {
		rc = err_set(r->err, ERR_PERMANENT,
		    "%s:%d: duplicate key \"%s\"", r->name, key->line,
		    key->text);
	} else {
		set_member(mapping, key, value);
		return 0;
	}
	yaml_tree_free(key);
	yaml_tree_free(value);
	return rc;
}

static int
read_member(struct reader *r, struct yaml *mapping)
{
	static const char wrong[] =
	    "a key must be a text, not a mapping or list";
	size_t line = r->event.start_mark.line;
	struct yaml *key, *value;

	if (r->event.type != YAML_SCALAR_EVENT &&
	    r->event.type != YAML_ALIAS_EVENT)
		return fail_at(r, line, wrong);
	key = read_node(r);
	if (key == NULL)
		return -1;
	value = key->type != YAML_SCALAR ? NULL
	    : next_event(r) == 0	 ? read_node(r)
					 : NULL;
	if (value != NULL)
		return add_member(r, mapping, key, value);
	if (key->type != YAML_SCALAR)
		fail_at(r, line, wrong);
	yaml_tree_free(key);
	return -1;
}

static struct yaml *
read_mapping(struct reader *r)
{
	struct yaml *y = node_new(r, YAML_MAPPING);

	for (;;) {
		if (next_event(r) != 0)
			break;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			return y;
		if (read_member(r, y) != 0)
			break;
	}
	yaml_tree_free(y);
	return NULL;
}

static struct yaml *
read_collection(struct reader *r)
{
	bool mapping = r->event.type == YAML_MAPPING_START_EVENT;
	enum tag tag = tag_of(mapping ? r->event.data.mapping_start.tag
				      : r->event.data.sequence_start.tag);
	struct yaml *y;

	if (tag != TAG_NONE && tag != TAG_COLLECTION)
		return fail_node(r, "this tag is not supported");
	if (r->depth == DEPTH_MAX)
		return fail_node(r, "nested too deep");
	r->depth++;
	y = mapping ? read_mapping(r) : read_sequence(r);
	r->depth--;
	return y;
}

static struct yaml *
read_alias(struct reader *r)
{
	const struct yaml *node =
	    anchors_get(&r->anchors, (const char *)r->event.data.alias.anchor);
	struct yaml *y;

	if (node == NULL)
		return fail_node(
		    r, "this alias has no anchor, or is within it");
	y = anchors_copy(&r->anchors, node);
	return y != NULL ? y : fail_node(r, "aliases repeat too much");
}

static const yaml_char_t *
anchor_of(const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return e->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return e->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return e->data.mapping_start.anchor;
	default:
		return NULL;
	}
}

/* Reads the node that starts with the current event, to its last event. */
static struct yaml *
read_node(struct reader *r)
{
	const yaml_char_t *name = anchor_of(&r->event);
	char *anchor = name ? mem_strdup((const char *)name) : NULL;
	struct yaml *y;

	switch (r->event.type) {
	case YAML_SCALAR_EVENT:
		y = read_scalar(r);
		break;
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		y = read_collection(r);
		break;
	case YAML_ALIAS_EVENT:
		y = read_alias(r);
		break;
	default:
		y = fail_node(r, "not YAML");
	}
	if (y != NULL && anchor != NULL)
		anchors_set(&r->anchors, anchor, y);
	free(anchor);
	return y;
}

static struct yaml *
read_document(struct reader *r)
{
	struct yaml *y = NULL;

	if (next_event(r) != 0 || next_event(r) != 0)
		return NULL; /* stream start, document start */
	if (r->event.type == YAML_STREAM_END_EVENT) {
		y = node_new(r, YAML_SCALAR);
		y->text = mem_strdup("");
		return y;
	}
	if (next_event(r) != 0)
		return NULL;
	y = read_node(r);
	if (y == NULL)
		return NULL;
	if (next_event(r) != 0 || next_event(r) != 0) {
		yaml_tree_free(y); /* document end, stream end */
		return NULL;
	}
	if (r->event.type != YAML_STREAM_END_EVENT) {
		fail_at(r, r->event.start_mark.line,
		    "a second document is not supported");
		yaml_tree_free(y);
		return NULL;
	}
	return y;
}

/* By the first two bytes, a mark or an ASCII character, as YAML 1.2 (5.2) tells
 * encodings apart. */
static bool
is_utf16(struct span s)
{
	return s.n >= 2 &&
	    (span_starts(s, "\xff\xfe") || span_starts(s, "\xfe\xff") ||
		(s.p[0] == '\0') != (s.p[1] == '\0'));
}

struct yaml *
yaml_parse(const char *name, const char *text, size_t n, struct err *err)
{
	struct reader r = {.name = name, .err = err};
	struct span s = utf8_skip_mark(span_make(n != 0 ? text : "", n));
	struct yaml *y;

	r.text = s;
	if (is_utf16(s)) {
		err_set(err, ERR_PERMANENT,
		    "%s:1: this is UTF-16: save the file as UTF-8", name);
		return NULL;
	}
	if (yaml_parser_initialize(&r.parser) != 1)
		mem_exhausted(NULL);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
	    &r.parser, (const unsigned char *)s.p, s.n);
	y = read_document(&r);
	if (r.have)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	anchors_release(&r.anchors);
	return y;
}

struct yaml *
yaml_load(const char *path, struct err *err)
{
	struct buf b = BUF_INIT;
	struct yaml *y = NULL;

	if (file_read(path, FILE_MAX_MIB, &b, err) == 0)
		y = yaml_parse(path, b.data, b.len, err);
	buf_release(&b);
	return y;
}
