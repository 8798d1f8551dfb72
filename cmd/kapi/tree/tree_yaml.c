/* Part of tree/tree.h: from YAML to a tree. */
#include "tree/tree.h"

#include <string.h>
#include <yaml.h>

#include "json/json.h"

/* An alias repeats what its anchor names: a document of a few lines could
 * stand for more than any memory. */
enum { NODES_MAX = 1 << 20, DEPTH_MAX = 1000, ANCHORS_MAX = 10000 };
enum { TWICE_MAX = 1 << 16 }; /* limit of the message about keys given twice */

struct reader {
	struct arena *a;
	yaml_document_t doc;
	struct err *err;
	unsigned depth, nodes;
	struct buf twice; /* lines of keys that are there already */
};

static bool
is_one_of(struct span s, const char *const *words)
{
	for (; *words != NULL; words++)
		if (span_is(s, *words))
			return true;
	return false;
}

static bool
digits_of(struct span s, const char *allowed)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\0' || strchr(allowed, s.p[i]) == NULL)
			return false;
	return s.n > 0;
}

/* A number in another base, as Go's strconv.ParseInt reads it with base 0. */
static struct node *
other_base(struct reader *r, struct span text)
{
	bool minus = text.n > 0 && text.p[0] == '-';
	size_t sign = minus || (text.n > 0 && text.p[0] == '+');
	struct span s = span_make(text.p + sign, text.n - sign);
	int base = 8, skip = 1;
	const char *allowed = "01234567";
	long long value;

	if (s.n < 2 || s.p[0] != '0')
		return NULL;
	if (s.p[1] == 'x' || s.p[1] == 'X') {
		base = 16, skip = 2;
		allowed = "0123456789abcdefABCDEF";
	} else if (s.p[1] == 'b' || s.p[1] == 'B') {
		base = 2, skip = 2;
		allowed = "01";
	} else if (s.p[1] == 'o' || s.p[1] == 'O') {
		skip = 2;
	}
	s = span_make(s.p + skip, s.n - (size_t)skip);
	if (!digits_of(s, allowed) || s.n > 60)
		return NULL;
	value = strtoll(arena_str(r->a, s), NULL, base);
	return tree_int(r->a, minus ? -value : value);
}

/* A number as JSON spells it: +1, 1. and .5 need mending. */
static struct node *
number(struct reader *r, struct span text)
{
	struct span s = text, digits = span_str("0123456789");
	size_t i = 0, whole = 0, part = 0;
	struct buf out = BUF_INIT;
	struct node *n = NULL;

	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+')) {
		if (s.p[i] == '-')
			buf_addc(&out, '-');
		i++;
	}
	for (; i < s.n && memchr(digits.p, s.p[i], digits.n); i++, whole++)
		buf_addc(&out, s.p[i]);
	if (whole == 0)
		buf_addc(&out, '0');
	if (i < s.n && s.p[i] == '.') {
		i++;
		if (i < s.n && memchr(digits.p, s.p[i], digits.n))
			buf_addc(&out, '.');
		for (; i < s.n && memchr(digits.p, s.p[i], digits.n);
		     i++, part++)
			buf_addc(&out, s.p[i]);
	}
	if (whole + part == 0)
		goto out;
	if (i < s.n && (s.p[i] | 0x20) == 'e')
		for (buf_addc(&out, s.p[i++]); i < s.n; i++)
			buf_addc(&out, s.p[i]);
	/* The text is now a number of JSON, or not a number. */
	if (i == s.n)
		n = tree_parse(r->a, arena_span(r->a, buf_span(&out)),
		    TREE_LIMITS, NULL, NULL);
out:
	buf_release(&out);
	return n;
}

/* The type of an unquoted scalar: YAML 1.1, as in the API server's library. */
static struct node *
plain(struct reader *r, struct span s)
{
	static const char *const nulls[] = {
	    "", "~", "null", "Null", "NULL", NULL};
	static const char *const trues[] = {"true", "True", "TRUE", "y", "Y",
	    "yes", "Yes", "YES", "on", "On", "ON", NULL};
	static const char *const falses[] = {"false", "False", "FALSE", "n",
	    "N", "no", "No", "NO", "off", "Off", "OFF", NULL};
	struct node *n;

	if (is_one_of(s, nulls))
		return tree_null(r->a);
	if (is_one_of(s, trues))
		return tree_bool(r->a, true);
	if (is_one_of(s, falses))
		return tree_bool(r->a, false);
	n = other_base(r, s);
	if (n == NULL && s.n > 0 && strchr("+-.0123456789", s.p[0]) != NULL)
		n = number(r, s);
	return n != NULL ? n : tree_string(r->a, s);
}

static struct span
text_of(struct reader *r, const yaml_node_t *y)
{
	return arena_span(r->a,
	    span_make(
		(const char *)y->data.scalar.value, y->data.scalar.length));
}

static struct node *
scalar(struct reader *r, const yaml_node_t *y)
{
	bool string = y->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	struct span text = text_of(r, y);

	/* libyaml tags what has no tag of its own as a string, too. */
	return string ? tree_string(r->a, text) : plain(r, text);
}

static struct node *node_of(struct reader *r, int id);

static struct node *
bad(struct reader *r, const yaml_node_t *y, const char *why)
{
	err_set(r->err, ERR_PERMANENT, "yaml: line %zu: %s",
	    y->start_mark.line + 1, why);
	return NULL;
}

/* In the words of the API server's library, which names the value's line. */
static void
note_twice(struct reader *r, int value, struct span key)
{
	const yaml_node_t *y = yaml_document_get_node(&r->doc, value);

	if (r->twice.len > TWICE_MAX)
		return;
	buf_addf(&r->twice, "%s  line %zu: key ", r->twice.len > 0 ? "\n" : "",
	    y->start_mark.line + 1);
	json_add_string(&r->twice, key);
	buf_adds(&r->twice, " already set in map");
}

/* Members come sorted: the API server makes JSON of a map of Go first. */
static struct node *
mapping(struct reader *r, const yaml_node_t *y)
{
	struct node *n = tree_object(r->a), *value;

	for (yaml_node_pair_t *p = y->data.mapping.pairs.start;
	     p < y->data.mapping.pairs.top; p++) {
		const yaml_node_t *key =
		    yaml_document_get_node(&r->doc, p->key);
		uint32_t before = n->n;

		if (key->type != YAML_SCALAR_NODE)
			return bad(r, key, "a key that is not a scalar");
		value = node_of(r, p->value);
		if (value == NULL)
			return NULL;
		tree_set(r->a, n, text_of(r, key), value);
		if (n->n == before)
			note_twice(r, p->value, text_of(r, key));
	}
	tree_sort(r->a, n);
	return n;
}

static struct node *
sequence(struct reader *r, const yaml_node_t *y)
{
	struct node *n = tree_array(r->a), *item;

	for (yaml_node_item_t *i = y->data.sequence.items.start;
	     i < y->data.sequence.items.top; i++) {
		item = node_of(r, *i);
		if (item == NULL)
			return NULL;
		tree_append(r->a, n, item);
	}
	return n;
}

static struct node *
node_of(struct reader *r, int id)
{
	const yaml_node_t *y = yaml_document_get_node(&r->doc, id);
	struct node *n = NULL;

	if (++r->nodes > NODES_MAX)
		return bad(r, y, "document contains excessive aliasing");
	if (++r->depth > DEPTH_MAX)
		return bad(r, y, "nested too deep");
	if (y->type == YAML_SCALAR_NODE)
		n = scalar(r, y);
	else if (y->type == YAML_MAPPING_NODE)
		n = mapping(r, y);
	else if (y->type == YAML_SEQUENCE_NODE)
		n = sequence(r, y);
	r->depth--;
	return n;
}

static size_t
count_any(struct span text, const char *bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == bytes[0] || text.p[i] == bytes[1];
	return n;
}

/* NULL, or why the text is refused because of this event. */
static const char *
refused(const yaml_event_t *e, unsigned *depth, unsigned *anchors)
{
	bool anchor = false;

	if (e->type == YAML_SEQUENCE_START_EVENT) {
		anchor = e->data.sequence_start.anchor != NULL;
		++*depth;
	} else if (e->type == YAML_MAPPING_START_EVENT) {
		anchor = e->data.mapping_start.anchor != NULL;
		++*depth;
	} else if (e->type == YAML_SCALAR_EVENT) {
		anchor = e->data.scalar.anchor != NULL;
	} else if (e->type == YAML_SEQUENCE_END_EVENT ||
	    e->type == YAML_MAPPING_END_EVENT) {
		--*depth;
	}
	if (*depth > DEPTH_MAX)
		return "nested too deep";
	*anchors += anchor;
	return *anchors > ANCHORS_MAX ? "document contains excessive aliasing"
				      : NULL;
}

/* libyaml's loader compares each anchor with all before it, and its scanner
 * looks at each open bracket for each token: so text with too many of them is
 * refused first. */
static int
check_cost(struct span text, struct err *err)
{
	const char *why = NULL;
	unsigned depth = 0, anchors = 0;
	yaml_parser_t parser;
	yaml_event_t e;
	bool ends = false;

	if (count_any(text, "&&") <= ANCHORS_MAX &&
	    count_any(text, "[{") <= DEPTH_MAX)
		return 0;
	yaml_parser_initialize(&parser);
	yaml_parser_set_input_string(
	    &parser, (const unsigned char *)text.p, text.n);
	/* The next reader reports text that is not YAML. */
	while (!ends && yaml_parser_parse(&parser, &e)) {
		why = refused(&e, &depth, &anchors);
		ends = why != NULL || e.type == YAML_STREAM_END_EVENT ||
		    e.type == YAML_DOCUMENT_END_EVENT;
		if (why != NULL)
			err_set(err, ERR_PERMANENT, "yaml: line %zu: %s",
			    e.start_mark.line + 1, why);
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&parser);
	return why == NULL ? 0 : -1;
}

/* ---- YAML that is JSON: most clients send that ---- */

/* Whether YAML reads the text as JSON does, if it is JSON: of one line, with no
 * escape but those of both. */
static bool
is_simple(struct span text)
{
	if (text.n == 0 || text.n > NODES_MAX || text.p[0] != '{')
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < ' ' || text.p[i] > '~')
			return false;
		if (text.p[i] == '\\' &&
		    (++i == text.n || strchr("\"\\bfnrt", text.p[i]) == NULL))
			return false;
	}
	return true;
}

/* False: a key is too long for YAML (1024 characters, as they are written). */
static bool
sort(struct arena *a, struct node *n)
{
	for (uint32_t i = 0; i < tree_items(n); i++)
		if (!sort(a, n->items[i]))
			return false;
	for (uint32_t i = 0; i < tree_members(n); i++)
		if (n->members[i].key.n > 500 || !sort(a, n->members[i].value))
			return false;
	if (tree_is(n, NODE_OBJECT))
		tree_sort(a, n);
	return true;
}

/* NULL: it takes libyaml to read the text. */
static struct node *
parse_simple(struct arena *a, struct span text)
{
	const struct tree_limits limits = {DEPTH_MAX, false};
	struct node *n =
	    is_simple(text) ? tree_parse(a, text, limits, NULL, NULL) : NULL;

	return n != NULL && sort(a, n) ? n : NULL;
}

struct node *
tree_parse_yaml(
    struct arena *a, struct span text, struct span *twice, struct err *err)
{
	struct reader r = {.a = a, .err = err};
	yaml_parser_t parser;
	struct node *n = parse_simple(a, text);

	if (n != NULL && twice != NULL)
		*twice = SPAN_NONE;
	if (n != NULL)
		return n;
	if (check_cost(text, err) != 0)
		return NULL;
	yaml_parser_initialize(&parser);
	yaml_parser_set_input_string(
	    &parser, (const unsigned char *)text.p, text.n);
	if (!yaml_parser_load(&parser, &r.doc)) {
		err_set(err, ERR_PERMANENT, "yaml: line %zu: %s",
		    parser.problem_mark.line + 1,
		    parser.problem != NULL ? parser.problem : "no memory");
		yaml_parser_delete(&parser);
		return NULL;
	}
	n = yaml_document_get_root_node(&r.doc) == NULL ? tree_null(a)
							: node_of(&r, 1);
	yaml_document_delete(&r.doc);
	yaml_parser_delete(&parser);
	if (twice != NULL)
		*twice = r.twice.len == 0 ? SPAN_NONE
					  : arena_span(a, buf_span(&r.twice));
	buf_release(&r.twice);
	return n;
}
