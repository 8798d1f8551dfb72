#include "conf/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

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

void
yaml_append(struct yaml *y, struct yaml *key, struct yaml *value)
{
	size_t n = y->count++;

	y->values = mem_grow(y->values, n, sizeof(*y->values));
	y->values[n] = value;
	if (y->type != YAML_MAPPING)
		return;
	y->keys = mem_grow(y->keys, n, sizeof(*y->keys));
	y->keys[n] = key;
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
