#include "conf/conf.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "value/duration.h"

int
conf_fail(struct conf *c, int line, const char *fmt, ...)
{
	char text[ERR_MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(c->err, ERR_PERMANENT, "%s:%d: %s", c->path, line, text);
}

void
conf_add_unset(struct buf *out, const struct yaml *y)
{
	if (y->unset != NULL)
		buf_addf(out, ": the variable %s is not set", y->unset);
}

/* conf_fail, and the variable that y lacks. */
static int
fail_unset(
    struct conf *c, const struct yaml *y, const char *key, const char *what)
{
	struct buf unset = BUF_INIT;

	conf_add_unset(&unset, y);
	conf_fail(c, y->line, "%s %s%s", key, what, buf_str(&unset));
	buf_release(&unset);
	return -1;
}

int
conf_text(
    struct conf *c, const struct yaml *y, const char *key, const char **out)
{
	if (y->type != YAML_SCALAR)
		return conf_fail(c, y->line, "%s must be a string", key);
	*out = yaml_is_null(y) ? "" : y->text;
	return 0;
}

int
conf_string(struct conf *c, const struct yaml *y, const char *key, char **out)
{
	const char *text = "";

	if (conf_text(c, y, key, &text) != 0)
		return -1;
	if (*text == '\0')
		return fail_unset(c, y, key, "is empty");
	free(*out);
	*out = mem_strdup(text);
	return 0;
}

int
conf_member(struct conf *c, const struct yaml *y, const char *key, char **out)
{
	const struct yaml *v = yaml_get(y, key);

	return v != NULL ? conf_string(c, v, key, out)
			 : conf_fail(c, y->line, "%s is missing", key);
}

/* "KEY must be WHAT, not \"x\"HINT". */
static int
fail_value(struct conf *c, const struct yaml *y, const char *key,
    const char *what, const char *hint)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "must be %s, not ", what);
	if (y->type == YAML_SCALAR)
		buf_addf(&text, "\"%s\"%s", y->text, hint);
	else
		buf_adds(
		    &text, y->type == YAML_MAPPING ? "a mapping" : "a list");
	fail_unset(c, y, key, buf_str(&text));
	buf_release(&text);
	return -1;
}

/* " (did you mean \"x\"?)", if one of names is near. */
static void
add_nearest(struct buf *out, const char *text, const char *const *names)
{
	struct nearest near;

	nearest_init(&near, span_str(text));
	nearest_offer_all(&near, names);
	if (near.name.n > 0)
		buf_addf(out, " (did you mean \"%.*s\"?)", SPAN_ARG(near.name));
}

int
conf_fail_choice(struct conf *c, const struct yaml *y, const char *key,
    const char *const *choices)
{
	struct buf near = BUF_INIT, all = BUF_INIT;

	for (size_t i = 0; choices[i] != NULL; i++)
		buf_addf(&all, "%s%s",
		    i == 0			 ? ""
			: choices[i + 1] == NULL ? " or "
						 : ", ",
		    choices[i]);
	if (y->type == YAML_SCALAR)
		add_nearest(&near, y->text, choices);
	fail_value(c, y, key, buf_str(&all), buf_str(&near));
	buf_release(&near);
	buf_release(&all);
	return -1;
}

int
conf_choice(struct conf *c, const struct yaml *y, const char *key,
    const char *const *choices, int *out)
{
	for (*out = 0; choices[*out] != NULL; (*out)++)
		if (y->type == YAML_SCALAR &&
		    strcmp(y->text, choices[*out]) == 0)
			return 0;
	return conf_fail_choice(c, y, key, choices);
}

int
conf_bool(struct conf *c, const struct yaml *y, const char *key, bool *out)
{
	const char *text = "";

	if (y->type != YAML_SCALAR || conf_text(c, y, key, &text) != 0 ||
	    (strcmp(text, "true") != 0 && strcmp(text, "false") != 0))
		return fail_value(c, y, key, "true or false", "");
	*out = *text == 't';
	return 0;
}

int
conf_count(struct conf *c, const struct yaml *y, const char *key, long *out)
{
	const char *text = "";
	char *end;

	if (y->type != YAML_SCALAR || conf_text(c, y, key, &text) != 0 ||
	    !isdigit((unsigned char)*text) || strlen(text) > 9 ||
	    (*out = strtol(text, &end, 10)) < 1 || *end != '\0')
		return fail_value(c, y, key, "a whole number above 0", "");
	return 0;
}

int
conf_duration(
    struct conf *c, const struct yaml *y, const char *key, uint64_t *ms)
{
	const char *text = "";

	if (y->type != YAML_SCALAR || conf_text(c, y, key, &text) != 0 ||
	    duration_parse_ms(span_str(text), ms) != 0)
		return fail_value(
		    c, y, key, "a duration such as 30s or 1h30m", "");
	return 0;
}

int
conf_check_list(struct conf *c, const struct yaml *y, const char *key)
{
	return y->type == YAML_SEQUENCE || yaml_is_null(y)
	    ? 0
	    : conf_fail(c, y->line, "%s must be a list", key);
}

int
conf_list(
    struct conf *c, const struct yaml *y, const char *key, struct textlist *out)
{
	textlist_release(out);
	textlist_init(out);
	if (conf_check_list(c, y, key) != 0)
		return -1;
	for (size_t i = 0; i < y->count; i++) {
		const char *text = "";

		if (conf_text(c, y->values[i], key, &text) != 0)
			return -1;
		textlist_split(out, text);
	}
	return 0;
}

static bool
is_among(const struct yaml *key, const char *const *allowed)
{
	if (key->type != YAML_SCALAR)
		return false;
	while (*allowed != NULL && strcmp(*allowed, key->text) != 0)
		allowed++;
	return *allowed != NULL;
}

enum { KNOWN_FEW = 8 };

/* The nearest key, or all if there are few. */
static int
fail_unknown(struct conf *c, const struct yaml *key, const char *const *allowed)
{
	struct buf hint = BUF_INIT;
	size_t n = 0;

	if (key->type != YAML_SCALAR)
		return conf_fail(c, key->line, "unknown key \"?\"");
	while (allowed[n] != NULL)
		n++;
	add_nearest(&hint, key->text, allowed);
	if (hint.len == 0 && n <= KNOWN_FEW)
		for (size_t i = 0; i < n; i++)
			buf_addf(&hint, "%s%s", i == 0 ? ": known are " : ", ",
			    allowed[i]);
	conf_fail(
	    c, key->line, "unknown key \"%s\"%s", key->text, buf_str(&hint));
	buf_release(&hint);
	return -1;
}

int
conf_keys(struct conf *c, const struct yaml *y, const char *what,
    const char *const *allowed)
{
	if (y->type != YAML_MAPPING)
		return conf_fail(c, y->line, "%s must be a mapping", what);
	for (size_t i = 0; i < y->count; i++) {
		const struct yaml *key = y->keys[i];

		if (!is_among(key, allowed))
			return fail_unknown(c, key, allowed);
		for (size_t j = 0; j < i; j++)
			if (strcmp(y->keys[j]->text, key->text) == 0)
				return conf_fail(c, key->line,
				    "duplicate key \"%s\"", key->text);
	}
	return 0;
}
