#include "conf/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/span.h"
#include "base/utf8.h"
#include "json/json.h"
#include "process/file.h"

enum { FILE_MAX_MIB = 8, DEPTH_MAX = 100 };

struct reader {
	const char *name;
	yaml_parser_t parser;
	yaml_event_t event; /* valid while have is true */
	bool have;
	int depth;
	struct err *err;
};

void
yaml_tree_free(struct yaml *y)
{
	if (y == NULL)
		return;
	for (size_t i = 0; i < y->count; i++) {
		yaml_tree_free(y->values[i]);
		if (y->keys != NULL)
			yaml_tree_free(y->keys[i]);
	}
	free(y->keys);
	free(y->values);
	free(y->text);
	free(y->unset);
	free(y);
}

static int
fail_at(struct reader *r, size_t line, const char *what)
{
	return err_set(
	    r->err, ERR_PERMANENT, "%s:%zu: %s", r->name, line + 1, what);
}

static int
fail_syntax(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	const char *problem = p->problem ? p->problem : "not YAML";

	/* A bad byte has an offset only; its line was read before it. */
	if (p->error == YAML_READER_ERROR)
		return err_set(r->err, ERR_PERMANENT, "%s:%zu: %s (byte %zu)",
		    r->name, p->mark.line + 1, problem, p->problem_offset);
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

static bool
known_tag(const char *tag)
{
	static const char prefix[] = "tag:yaml.org,2002:";
	static const char *const names[] = {
	    "str", "int", "float", "bool", "null", "map", "seq"};

	if (strncmp(tag, prefix, sizeof(prefix) - 1) != 0)
		return strcmp(tag, "!") == 0;
	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(tag + sizeof(prefix) - 1, names[i]) == 0)
			return true;
	return false;
}

static int
check_properties(struct reader *r, yaml_char_t *anchor, yaml_char_t *tag)
{
	if (anchor != NULL)
		return fail_at(
		    r, r->event.start_mark.line, "anchors are not supported");
	if (tag != NULL && !known_tag((const char *)tag))
		return fail_at(
		    r, r->event.start_mark.line, "this tag is not supported");
	return 0;
}

static struct yaml *
read_scalar(struct reader *r)
{
	const char *tag = (const char *)r->event.data.scalar.tag;
	yaml_scalar_style_t style = r->event.data.scalar.style;
	size_t n = r->event.data.scalar.length;
	const char *text = (const char *)r->event.data.scalar.value;
	struct yaml *y;

	if (check_properties(
		r, r->event.data.scalar.anchor, r->event.data.scalar.tag) != 0)
		return NULL;
	if (memchr(text, '\0', n) != NULL) {
		fail_at(r, r->event.start_mark.line, "a text holds NUL");
		return NULL;
	}
	y = node_new(r, YAML_SCALAR);
	y->text = mem_dup(text, n);
	y->quoted = style != YAML_PLAIN_SCALAR_STYLE;
	if (tag != NULL &&
	    (strcmp(tag, "tag:yaml.org,2002:str") == 0 ||
		strcmp(tag, "!") == 0))
		y->quoted = true;
	return y;
}

static struct yaml *read_node(struct reader *r);

static void
append(struct yaml *y, struct yaml *key, struct yaml *value)
{
	size_t n = y->count++;

	y->values = mem_grow(y->values, n, sizeof(*y->values));
	y->values[n] = value;
	if (y->type != YAML_MAPPING)
		return;
	y->keys = mem_grow(y->keys, n, sizeof(*y->keys));
	y->keys[n] = key;
}

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
		append(y, NULL, value);
	}
	yaml_tree_free(y);
	return NULL;
}

static int
read_member(struct reader *r, struct yaml *mapping)
{
	struct yaml *key, *value;

	if (r->event.type != YAML_SCALAR_EVENT &&
	    r->event.type != YAML_ALIAS_EVENT)
		return fail_at(r, r->event.start_mark.line,
		    "a key must be a text, not a mapping or list");
	key = read_node(r);
	if (key == NULL)
		return -1;
	if (yaml_get(mapping, key->text) != NULL) {
		err_set(r->err, ERR_PERMANENT, "%s:%d: duplicate key \"%s\"",
		    r->name, key->line, key->text);
		yaml_tree_free(key);
		return -1;
	}
	value = next_event(r) == 0 ? read_node(r) : NULL;
	if (value == NULL) {
		yaml_tree_free(key);
		return -1;
	}
	append(mapping, key, value);
	return 0;
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
	struct yaml *y = NULL;
	int bad = mapping
	    ? check_properties(r, r->event.data.mapping_start.anchor,
		  r->event.data.mapping_start.tag)
	    : check_properties(r, r->event.data.sequence_start.anchor,
		  r->event.data.sequence_start.tag);

	if (bad)
		return NULL;
	if (r->depth == DEPTH_MAX) {
		fail_at(r, r->event.start_mark.line, "nested too deep");
		return NULL;
	}
	r->depth++;
	y = mapping ? read_mapping(r) : read_sequence(r);
	r->depth--;
	return y;
}

/* Reads the node that starts with the current event, to its last event. */
static struct yaml *
read_node(struct reader *r)
{
	switch (r->event.type) {
	case YAML_SCALAR_EVENT:
		return read_scalar(r);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return read_collection(r);
	case YAML_ALIAS_EVENT:
		fail_at(
		    r, r->event.start_mark.line, "anchors are not supported");
		return NULL;
	default:
		fail_at(r, r->event.start_mark.line, "not YAML");
		return NULL;
	}
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

	if (is_utf16(s)) {
		err_set(err, ERR_PERMANENT,
		    "%s:1: this is UTF-16: save the file as UTF-8", name);
		return NULL;
	}
	if (yaml_parser_initialize(&r.parser) != 1) {
		err_set(err, ERR_TRANSIENT, "%s: out of memory", name);
		return NULL;
	}
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
	    &r.parser, (const unsigned char *)s.p, s.n);
	y = read_document(&r);
	if (r.have)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
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

struct yaml *
yaml_get(const struct yaml *y, const char *key)
{
	if (y == NULL || y->type != YAML_MAPPING)
		return NULL;
	for (size_t i = 0; i < y->count; i++)
		if (strcmp(y->keys[i]->text, key) == 0)
			return y->values[i];
	return NULL;
}

static bool
is_any(const char *text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcmp(text, *words) == 0)
			return true;
	return false;
}

bool
yaml_is_null(const struct yaml *y)
{
	static const char *const words[] = {
	    "", "~", "null", "Null", "NULL", NULL};

	return y->type == YAML_SCALAR && !y->quoted && is_any(y->text, words);
}

bool
yaml_bool(const struct yaml *y, bool *value)
{
	static const char *const yes[] = {"true", "True", "TRUE", NULL};
	static const char *const no[] = {"false", "False", "FALSE", NULL};

	if (y->type != YAML_SCALAR || y->quoted)
		return false;
	*value = is_any(y->text, yes);
	return *value || is_any(y->text, no);
}

/* 0x1F and 0o17, which JSON does not know, in decimal. */
static bool
add_based_integer(const char *s, struct buf *out)
{
	int base = s[0] != '0' ? 0 : s[1] == 'x' ? 16 : s[1] == 'o' ? 8 : 0;
	unsigned long long v;
	char *end;

	if (base == 0 || s[2] == '\0' || s[2] == '+' || s[2] == '-' ||
	    s[2] == ' ')
		return false;
	if (base == 16 && s[2] == '0' && (s[3] == 'x' || s[3] == 'X'))
		return false; /* strtoull would take a second prefix */
	errno = 0;
	v = strtoull(s + 2, &end, base);
	if (*end != '\0' || errno != 0)
		return false;
	buf_addf(out, "%llu", v);
	return true;
}

static size_t
count_digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* A decimal number keeps its digits; JSON wants them on both sides of a
 * point, and neither a plus sign nor leading zeros. */
static bool
add_number(const char *s, struct buf *out)
{
	bool minus = *s == '-', point;
	const char *whole, *part = "", *exponent = "";
	size_t nwhole, npart = 0;

	if (add_based_integer(s, out))
		return true;
	s += *s == '-' || *s == '+';
	whole = s;
	s += nwhole = count_digits(s);
	point = *s == '.';
	if (point) {
		part = ++s;
		s += npart = count_digits(s);
	}
	if (nwhole + npart == 0)
		return false;
	if (*s == 'e' || *s == 'E') {
		size_t n;

		exponent = s++;
		s += *s == '-' || *s == '+';
		n = count_digits(s);
		if (n == 0)
			return false;
		s += n;
	}
	if (*s != '\0')
		return false;
	for (; nwhole > 1 && *whole == '0'; nwhole--)
		whole++;
	buf_addf(out, "%s%.*s", minus ? "-" : "", (int)nwhole, whole);
	if (nwhole == 0)
		buf_addc(out, '0');
	if (npart > 0)
		buf_addf(out, ".%.*s", (int)npart, part);
	buf_adds(out, exponent);
	return true;
}

static void
scalar_to_json(const struct yaml *y, struct buf *out)
{
	bool value;

	if (yaml_is_null(y))
		buf_adds(out, "null");
	else if (yaml_bool(y, &value))
		buf_adds(out, value ? "true" : "false");
	else if (y->quoted || !add_number(y->text, out))
		json_add_str(out, y->text);
}

void
yaml_to_json(const struct yaml *y, struct buf *out)
{
	bool mapping = y->type == YAML_MAPPING;

	if (y->type == YAML_SCALAR) {
		scalar_to_json(y, out);
		return;
	}
	buf_addc(out, mapping ? '{' : '[');
	for (size_t i = 0; i < y->count; i++) {
		if (i > 0)
			buf_addc(out, ',');
		if (mapping) {
			json_add_str(out, y->keys[i]->text);
			buf_addc(out, ':');
		}
		yaml_to_json(y->values[i], out);
	}
	buf_addc(out, mapping ? '}' : ']');
}
