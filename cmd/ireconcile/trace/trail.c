#include "trace/trail.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "json/jvtext.h"
#include "language/spot.h"

enum {
	PATH_MAX_BYTES = 300,
	STEPS_MAX = 50,
	LOOK_DEPTH = 256,
	NOTE_COST = 100, /* in elements of an array that is copied */
	SPEND_MAX = 20 * 1000 * 1000
};

struct trail_value {
	jv value; /* the last input of the spot */
	jv right; /* right side of an operator, or a computed index */
};

void
trail_init(struct trail *t, const struct source *source, jv input)
{
	*t = (struct trail){
	    .source = source, .last = -1, .author = -1, .input = input};
	t->values =
	    mem_zalloc(((size_t)source->count + 1) * sizeof(*t->values));
}

void
trail_release(struct trail *t)
{
	for (int f = 0; f < t->source->count; f++) {
		for (int i = 0;
		     t->values[f] != NULL && i < t->source->files[f].lex.count;
		     i++) {
			jv_free(t->values[f][i].value);
			jv_free(t->values[f][i].right);
		}
		free(t->values[f]);
	}
	free(t->values);
	jv_free(t->input);
}

static struct trail_value *
value_at(struct trail *t, const struct spot *spot)
{
	struct trail_value **values = &t->values[spot->file - t->source->files];
	int count = spot->file->lex.count;

	if (*values == NULL) {
		*values = mem_array(NULL, (size_t)count, sizeof(**values));
		for (int i = 0; i < count; i++)
			(*values)[i] =
			    (struct trail_value){jv_invalid(), jv_invalid()};
	}
	return &(*values)[spot->token];
}

/* Counts the cost of keeping a value: jq has to copy such a value before it
 * changes it. Beyond a limit, the same on each machine, the worker ends, and
 * the error has no place. */
static void
spend(struct trail *t, jv value)
{
	t->spent += NOTE_COST;
	if (jv_get_kind(value) == JV_KIND_ARRAY)
		t->spent += jv_array_length(jv_copy(value));
	else if (jv_get_kind(value) == JV_KIND_OBJECT)
		t->spent += jv_object_length(jv_copy(value));
	else if (jv_get_kind(value) == JV_KIND_STRING)
		t->spent += jv_string_length_bytes(jv_copy(value)) / 16;
	if (t->spent > SPEND_MAX)
		_exit(TRAIL_TOO_LONG);
}

bool
trail_note(struct trail *t, jv request)
{
	jv first = jv_array_get(jv_copy(request), 0);
	int n = jv_array_length(jv_copy(request));
	struct spot spot;
	struct trail_value *v;
	jv *place;
	long number;

	if (jv_get_kind(first) != JV_KIND_NUMBER) {
		jv_free(first);
		return false;
	}
	number = (long)jv_number_value(first);
	jv_free(first);
	if (!spot_find(t->source, number, &spot))
		return true;
	v = value_at(t, &spot);
	place = n == 3 ? &v->right : &v->value;
	if (n == 3) { /* the spot of the left side comes next */
		jv_free(v->value);
		v->value = jv_invalid();
	}
	if (n > 1) {
		jv_free(*place);
		*place = jv_array_get(jv_copy(request), 1);
		spend(t, *place);
	}
	t->last = number;
	if (spot.file->trust == JQPARSE_STRANGE)
		t->author = number;
	return true;
}

/* ---- paths ---- */

/* Whether a value has a place in memory that tells it apart from others; empty
 * ones may be shared. */
static bool
has_place(jv value)
{
	switch (jv_get_kind(value)) {
	case JV_KIND_OBJECT:
		return jv_object_length(jv_copy(value)) > 0;
	case JV_KIND_ARRAY:
		return jv_array_length(jv_copy(value)) > 0;
	case JV_KIND_STRING:
		return jv_string_length_bytes(jv_copy(value)) > 0;
	default:
		return false;
	}
}

/* Whether a key may be shown: keys of a plan may be values of other objects. */
static bool
may_show(const struct trail *t, const struct buf *path, struct span key)
{
	static const char plan[] = ".plan";
	enum { N = sizeof(plan) - 1 };

	return path->len < N || memcmp(path->data, plan, N) != 0 ||
	    (path->len > N && path->data[N] != '.' && path->data[N] != '[') ||
	    source_has_word(t->source, key);
}

static bool look_for(
    const struct trail *t, jv value, jv in, int depth, struct buf *path);

static bool
look_in_object(
    const struct trail *t, jv value, jv in, int depth, struct buf *path)
{
	size_t mark = path->len;
	bool found = false;

	jv_object_foreach(in, key, member)
	{
		if (!found && may_show(t, path, jvtext_span(key))) {
			jvtext_add_key(path, jvtext_span(key));
			found = look_for(t, value, member, depth + 1, path);
			if (!found)
				buf_truncate(path, mark);
		}
		jv_free(key);
		jv_free(member);
	}
	return found;
}

static bool
look_in_array(
    const struct trail *t, jv value, jv in, int depth, struct buf *path)
{
	size_t mark = path->len;
	bool found = false;

	jv_array_foreach(in, i, element)
	{
		if (!found) {
			jvtext_add_index(path, i);
			found = look_for(t, value, element, depth + 1, path);
			if (!found)
				buf_truncate(path, mark);
		}
		jv_free(element);
	}
	return found;
}

/* Appends the path of this very value in `in`. Borrows both. */
static bool
look_for(const struct trail *t, jv value, jv in, int depth, struct buf *path)
{
	if (jv_identical(jv_copy(value), jv_copy(in)))
		return true;
	if (depth > LOOK_DEPTH)
		return false;
	if (jv_get_kind(in) == JV_KIND_OBJECT)
		return look_in_object(t, value, in, depth, path);
	if (jv_get_kind(in) == JV_KIND_ARRAY)
		return look_in_array(t, value, in, depth, path);
	return false;
}

/* The key of an access, owned; invalid: unknown, or not to be shown. */
static jv
key_of(const struct trail *t, const struct spot *spot, jv computed)
{
	struct span text;

	switch (spot_key(spot, &text)) {
	case SPOT_KEY_NAME:
		return jv_string_sized(text.p, (int)text.n);
	case SPOT_KEY_INDEX:
		return jv_number((double)strtol(text.p, NULL, 10));
	case SPOT_KEY_UNKNOWN:
		break;
	}
	if (jv_get_kind(computed) == JV_KIND_STRING &&
	    source_has_word(t->source, jvtext_span(computed)))
		return jv_copy(computed);
	return jv_invalid();
}

/* Appends key (consumed) to path if it leads from `of` to `value`. */
static bool
add_step(jv of, jv key, jv value, struct buf *path)
{
	jv there = jv_invalid();
	bool same;

	if (jv_get_kind(key) == JV_KIND_STRING &&
	    jv_get_kind(of) == JV_KIND_OBJECT) {
		there = jv_object_get(jv_copy(of), jv_copy(key));
		jvtext_add_key(path, jvtext_span(key));
	} else if (jv_get_kind(key) == JV_KIND_NUMBER &&
	    jv_get_kind(of) == JV_KIND_ARRAY) {
		there = jv_array_get(jv_copy(of), (int)jv_number_value(key));
		jvtext_add_index(path, (int)jv_number_value(key));
	} else {
		jv_free(key);
		return false;
	}
	jv_free(key);
	same = jv_get_kind(there) == jv_get_kind(value) ||
	    (!jv_is_valid(there) && jv_get_kind(value) == JV_KIND_NULL);
	jv_free(there);
	return same;
}

/* Appends the path of the value at a spot. */
static bool
add_path(struct trail *t, const struct spot *spot, jv value, int steps,
    struct buf *path)
{
	struct spot before;
	const struct trail_value *from;

	if (has_place(value) && look_for(t, value, t->input, 0, path))
		return true;
	if (steps == STEPS_MAX || !spot_before(spot, &before))
		return false;
	from = value_at(t, &before);
	return jv_is_valid(from->value) &&
	    add_path(t, &before, from->value, steps + 1, path) &&
	    add_step(from->value, key_of(t, &before, from->right), value, path);
}

/* Appends ".a.b", or nothing. */
static bool
add_whole_path(
    struct trail *t, const struct spot *spot, jv value, struct buf *out)
{
	struct buf path = BUF_INIT;
	bool found =
	    add_path(t, spot, value, 0, &path) && path.len < PATH_MAX_BYTES;

	found = found && path.len > 0; /* `.` says nothing */
	if (found && path.data[0] == '[')
		buf_addc(out, '.');
	if (found)
		buf_addspan(out, buf_span(&path));
	buf_release(&path);
	return found;
}

/* ---- the message ---- */

static bool
says_kind(const char *message, jv value)
{
	const char *name = jv_get_kind(value) == JV_KIND_TRUE ||
		jv_get_kind(value) == JV_KIND_FALSE
	    ? "boolean"
	    : jv_kind_name(jv_get_kind(value));

	return strstr(message, name) != NULL;
}

/* The path in out is that of a member which is not there, and so `true`? */
static void
add_absent(jv value, const char *const *absent, struct buf *out)
{
	struct span text = buf_span(out);

	for (; *absent != NULL; absent++) {
		size_t n = strlen(*absent);

		if (jv_get_kind(value) == JV_KIND_TRUE && text.n > n + 2 &&
		    memcmp(text.p + text.n - n - 2, " .", 2) == 0 &&
		    memcmp(text.p + text.n - n, *absent, n) == 0) {
			buf_adds(out,
			    ", which desiredReads in watches.yaml does not "
			    "list");
			return;
		}
	}
}

static void
add_side(struct trail *t, const struct spot *spot, jv value,
    const char *const *absent, struct buf *out)
{
	size_t mark;

	if (!add_whole_path(t, spot, value, out))
		buf_adds(out, "...");
	mark = out->len;
	add_absent(value, absent, out);
	if (out->len == mark)
		buf_addf(out, " (%s)", jv_kind_name(jv_get_kind(value)));
}

/* "at .a (string) + ... (number)". The right side is looked for by its value
 * alone. */
static void
add_sides(struct trail *t, const struct spot *spot, const char *const *absent,
    struct buf *out)
{
	const struct trail_value *v = value_at(t, spot);
	struct spot nowhere = {spot->file, 0};

	if (!jv_is_valid(v->value) || !jv_is_valid(v->right))
		return;
	buf_adds(out, " at ");
	add_side(t, spot, v->value, absent, out);
	buf_addf(out, " %.*s ", SPAN_ARG(spot_operator(spot)));
	add_side(t, &nowhere, v->right, absent, out);
}

static void
add_input(struct trail *t, const struct spot *spot, const char *message,
    const char *const *absent, struct buf *out)
{
	const struct trail_value *v = value_at(t, spot);
	struct span name = spot->file->lex.tokens[spot->token].text;
	struct buf path = BUF_INIT;

	/* Our own messages begin with the name of the function. */
	if (!jv_is_valid(v->value) ||
	    (!says_kind(message, v->value) &&
		strncmp(message, name.p, name.n) != 0) ||
	    !add_whole_path(t, spot, v->value, &path)) {
		buf_release(&path);
		return;
	}
	buf_addf(out, " at %s", buf_str(&path));
	buf_release(&path);
	add_absent(v->value, absent, out);
}

/* "reconcile.jq:12: desired: pods: " */
static void
add_place(const struct spot *spot, const char *function, struct buf *out)
{
	struct span definition = spot_definition(spot);

	buf_addf(out, "%s:%d: ", spot_file(spot), spot_line(spot));
	if (function != NULL)
		buf_addf(out, "%s: ", function);
	if (definition.n > 0 &&
	    (function == NULL || !span_is(definition, function)))
		buf_addf(out, "%.*s: ", SPAN_ARG(definition));
}

void
trail_say(struct trail *t, const char *function, const char *message,
    const char *const *absent, struct buf *out)
{
	struct spot last, shown;

	if (!spot_find(t->source, t->last, &last)) {
		buf_addf(out, "%s failed: %s", function, message);
		return;
	}
	if (!spot_find(t->source, t->author, &shown))
		shown = last;
	add_place(&shown, function, out);
	buf_adds(out, message);
	if (spot_operator(&last).n > 0)
		add_sides(t, &last, absent, out);
	else
		add_input(t, &last, message, absent, out);
	if (t->last == t->author || t->author < 0)
		return;
	buf_adds(out, " (");
	add_place(&last, NULL, out);
	buf_truncate(out, out->len - 2);
	buf_addc(out, ')');
}
