#include "conf/selector.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "conf/conf.h"
#include "json/json.h"

static void
comma(struct buf *out)
{
	if (out->len > 0)
		buf_addc(out, ',');
}

static int
add_labels(struct conf *c, const struct yaml *y, struct buf *out)
{
	if (y->type != YAML_MAPPING)
		return conf_fail(c, y->line, "matchLabels must be a mapping");
	for (size_t i = 0; i < y->count; i++) {
		const char *value;

		if (conf_text(c, y->values[i], "a label", &value) != 0)
			return -1;
		comma(out);
		buf_addf(out, "%s=%s", y->keys[i]->text, value);
	}
	return 0;
}

static int
add_values(struct conf *c, const struct yaml *y, struct buf *out)
{
	buf_addc(out, '(');
	for (size_t i = 0; i < y->count; i++) {
		const char *value;

		if (conf_text(c, y->values[i], "values", &value) != 0)
			return -1;
		if (i > 0)
			buf_addc(out, ',');
		buf_adds(out, value);
	}
	buf_addc(out, ')');
	return 0;
}

static int
add_expression(struct conf *c, const struct yaml *y, struct buf *out)
{
	static const char *const allowed[] = {
	    "key", "operator", "values", NULL};
	static const char *const operators[] = {
	    "In", "NotIn", "Exists", "DoesNotExist", NULL};
	const struct yaml *key, *op_node, *values;
	const char *k, *op;

	if (conf_keys(c, y, "an expression", allowed) != 0)
		return -1;
	key = yaml_get(y, "key");
	op_node = yaml_get(y, "operator");
	values = yaml_get(y, "values");
	if (key == NULL || op_node == NULL)
		return conf_fail(
		    c, y->line, "an expression needs key and operator");
	if (conf_text(c, key, "key", &k) != 0 ||
	    conf_text(c, op_node, "operator", &op) != 0)
		return -1;
	comma(out);
	if (strcmp(op, "Exists") == 0 || strcmp(op, "DoesNotExist") == 0) {
		buf_addf(out, "%s%s", *op == 'E' ? "" : "!", k);
		return 0;
	}
	if (strcmp(op, "In") != 0 && strcmp(op, "NotIn") != 0)
		return conf_fail_choice(c, op_node, "operator", operators);
	if (values == NULL || values->type != YAML_SEQUENCE ||
	    values->count == 0)
		return conf_fail(c, y->line, "%s needs values", op);
	buf_addf(out, "%s %s ", k, *op == 'I' ? "in" : "notin");
	return add_values(c, values, out);
}

char *
selector_text(const struct yaml *y, const char *path, struct err *err)
{
	static const char *const allowed[] = {
	    "matchLabels", "matchExpressions", NULL};
	struct conf c = {path, err};
	struct buf out = BUF_INIT;
	const struct yaml *v;
	int rc = 0;

	if (y->type == YAML_SCALAR)
		return mem_strdup(yaml_is_null(y) ? "" : y->text);
	rc = conf_keys(&c, y, "selector", allowed);
	if (rc == 0 && (v = yaml_get(y, "matchLabels")) != NULL)
		rc = add_labels(&c, v, &out);
	v = rc == 0 ? yaml_get(y, "matchExpressions") : NULL;
	if (v != NULL && v->type != YAML_SEQUENCE)
		rc = conf_fail(&c, v->line, "matchExpressions must be a list");
	for (size_t i = 0; rc == 0 && v != NULL && i < v->count; i++)
		rc = add_expression(&c, v->values[i], &out);
	if (rc != 0) {
		buf_release(&out);
		return NULL;
	}
	return buf_take(&out);
}

/* ---- matching ---- */

struct span
selector_label(struct span labels, struct span key)
{
	struct span value = json_get_raw(labels, key);

	return value.n >= 2 ? span_make(value.p + 1, value.n - 2) : SPAN_NONE;
}

bool
selector_meets(enum selector_op op, bool is_there, bool is_among)
{
	switch (op) {
	case LABEL_EXISTS:
		return is_there;
	case LABEL_ABSENT:
		return !is_there;
	case LABEL_NOT_IN:
		return !is_there || !is_among;
	case LABEL_IN:
	case LABEL_ABOVE:
	case LABEL_BELOW:
		break;
	}
	return is_there && is_among;
}

/* The next piece of *rest before a comma that is not in parentheses. */
static bool
next_piece(struct span *rest, struct span *piece)
{
	int depth = 0;
	size_t i = 0;

	if (rest->p == NULL)
		return false;
	for (; i < rest->n && (rest->p[i] != ',' || depth > 0); i++)
		depth += (rest->p[i] == '(') - (rest->p[i] == ')');
	*piece = span_trim(span_make(rest->p, i), " \t");
	*rest = i < rest->n ? span_make(rest->p + i + 1, rest->n - i - 1)
			    : SPAN_NONE;
	return true;
}

/* "(a, b)" */
static bool
in_set(struct span set, struct span value)
{
	struct span rest = span_make(set.p + 1, set.n - 2), piece;

	while (next_piece(&rest, &piece))
		if (span_eq(piece, value))
			return true;
	return false;
}

/* key OP rest, where OP begins at the first character after the key. */
static bool
compare(struct span value, struct span op)
{
	bool no = *op.p == '!' || (op.n > 3 && span_starts(op, "not"));
	bool is_there = value.p != NULL, is_among;
	size_t open = 0;

	while (open < op.n && op.p[open] != '(')
		open++;
	if (*op.p == '=' || *op.p == '!') {
		op.p++, op.n--;
		if (op.n > 0 && *op.p == '=')
			op.p++, op.n--;
		is_among = is_there && span_eq(value, span_trim(op, " \t"));
	} else if (open == op.n || op.p[op.n - 1] != ')') {
		return true;
	} else {
		is_among = is_there && in_set(span_skip(op, open), value);
	}
	return selector_meets(no ? LABEL_NOT_IN : LABEL_IN, is_there, is_among);
}

/* "KEY OP", where OP may be empty; true: "!KEY". */
static bool
split_piece(struct span piece, struct span *key, struct span *op)
{
	bool absent = piece.n > 0 && *piece.p == '!';
	struct span rest = piece;
	size_t n = 0;

	if (absent)
		rest = span_trim(span_skip(piece, 1), " \t");
	while (n < rest.n && strchr(" \t=!", rest.p[n]) == NULL)
		n++;
	*key = span_make(rest.p, n);
	*op = span_trim(span_skip(rest, n), " \t");
	return absent;
}

bool
selector_matches(const char *selector, struct span labels)
{
	struct span rest = span_str(selector), piece;

	while (next_piece(&rest, &piece)) {
		struct span key, op;
		bool absent = split_piece(piece, &key, &op);

		if (key.n == 0)
			continue;
		if (op.n == 0 &&
		    (selector_label(labels, key).p == NULL) != absent)
			return false;
		if (op.n > 0 && !compare(selector_label(labels, key), op))
			return false;
	}
	return true;
}

/* OP and what follows it: = VALUE, in (a, b). */
static bool
is_clear_op(struct span op)
{
	struct span value;

	if (*op.p == '=' || (*op.p == '!' && op.n > 1 && op.p[1] == '=')) {
		value = span_trim(op, "=! \t");
		return memchr(op.p, '(', op.n) == NULL &&
		    (value.n == 0 ||
			(memchr(value.p, ' ', value.n) == NULL &&
			    memchr(value.p, '=', value.n) == NULL));
	}
	if (span_starts(op, "not"))
		op = span_skip(op, 3);
	if (!span_starts(op, "in"))
		return false;
	op = span_trim(span_skip(op, 2), " \t");
	return op.n > 2 && *op.p == '(' && op.p[op.n - 1] == ')';
}

bool
selector_is_clear(const char *selector)
{
	struct span rest = span_str(selector), piece;

	while (next_piece(&rest, &piece)) {
		struct span key, op;
		bool absent = split_piece(piece, &key, &op);

		if (key.n == 0 || (op.n > 0 && (absent || !is_clear_op(op))) ||
		    memchr(key.p, '<', key.n) != NULL ||
		    memchr(key.p, '>', key.n) != NULL ||
		    memchr(key.p, '(', key.n) != NULL)
			return false;
	}
	return true;
}
