#include "opfile.h"

#include <string.h>

#include "base/array.h"
#include "base/span.h"
#include "conf/conf.h"
#include "imagename.h"
#include "value/dnsname.h"

enum shape {
	SHAPE_TEXT,
	SHAPE_NAME,
	SHAPE_VERSION,
	SHAPE_REPOSITORY,
	SHAPE_LINE,
	SHAPE_SCOPE,
	SHAPE_CREDENTIALS,
	SHAPE_POLICY, /* when images are pulled */
	SHAPE_COUNT,
	SHAPE_SIZE,    /* of a recording */
	SHAPE_RIGHTS,  /* stage: {place: [rule]} */
	SHAPE_TEXTS,   /* a mapping of texts */
	SHAPE_MAPPING, /* a mapping with any values */
	SHAPE_LIST,    /* a list of texts */
	SHAPE_MAPPINGS /* a list of mappings */
};

static const struct opkey {
	const char *name;
	enum shape shape;
	bool required;
} keys[] = {
    {"name", SHAPE_NAME, true},
    {"version", SHAPE_VERSION, true},
    {"image", SHAPE_REPOSITORY, true},
    {"description", SHAPE_LINE, true},
    {"scope", SHAPE_SCOPE, false},
    {"displayName", SHAPE_LINE, false},
    {"provider", SHAPE_LINE, false},
    {"maintainers", SHAPE_MAPPINGS, false},
    {"links", SHAPE_MAPPINGS, false},
    {"keywords", SHAPE_LIST, false},
    {"icon", SHAPE_TEXT, false},
    {"env", SHAPE_TEXTS, false},
    {"resources", SHAPE_MAPPING, false},
    {"credentials", SHAPE_CREDENTIALS, false},
    {"record", SHAPE_SIZE, false},
    {"plurals", SHAPE_TEXTS, false},
    {"rights", SHAPE_RIGHTS, false},
    {"deployment", SHAPE_NAME, false},
    {"replicas", SHAPE_COUNT, false},
    {"imagePullPolicy", SHAPE_POLICY, false},
    {"imagePullSecrets", SHAPE_LIST, false},
    {"channel", SHAPE_LINE, false},
    {"replaces", SHAPE_VERSION, false},
    {"skips", SHAPE_LIST, false},
    {"categories", SHAPE_LIST, false},
    {"capabilities", SHAPE_LINE, false},
    {"maturity", SHAPE_LINE, false},
    {"longDescription", SHAPE_TEXT, false},
};

static int
check_name(
    struct conf *c, const struct yaml *y, const char *key, const char *text)
{
	if (!dnsname_is_label(span_str(text)) || span_is_digit(*text))
		return conf_fail(c, y->line,
		    "%s: \"%s\" is not a DNS label: a letter first, then "
		    "lower case, digits and dashes",
		    key, text);
	if (strlen(text) > OPFILE_NAME_MAX)
		return conf_fail(c, y->line,
		    "%s: \"%s\" has %zu characters; "
		    "NAME-operator-controller-manager leaves room for %d",
		    key, text, strlen(text), OPFILE_NAME_MAX);
	return 0;
}

static int
check_image(struct conf *c, const struct yaml *y, const char *text)
{
	struct span s = span_str(text);

	if (imagename_is_repository(s))
		return 0;
	if (imagename_is_image(s))
		return conf_fail(c, y->line,
		    "image: \"%s\" has a tag or a digest: name the repository "
		    "alone",
		    text);
	return conf_fail(c, y->line,
	    "image: \"%s\" is not a repository, as registry.example.com/name",
	    text);
}

static int
check_among(struct conf *c, const struct yaml *y, const char *key,
    const char *text, const char *a, const char *b)
{
	if (strcmp(text, a) == 0 || strcmp(text, b) == 0)
		return 0;
	return conf_fail(
	    c, y->line, "%s: \"%s\" is neither %s nor %s", key, text, a, b);
}

static int
check_count(
    struct conf *c, const struct yaml *y, const char *key, const char *text)
{
	struct span s = span_str(text);

	if (!y->quoted && span_is_digits(s) && s.n < 10 &&
	    (s.n == 1 || *s.p != '0'))
		return 0;
	return conf_fail(c, y->line, "%s: \"%s\" is not a number", key, text);
}

/* One of those that krecord --size takes. */
static int
check_size(
    struct conf *c, const struct yaml *y, const char *key, const char *text)
{
	struct span s = span_str(text);

	if (span_ends(s, "Mi") || span_ends(s, "Gi"))
		s.n -= 2;
	else
		s.n = 0;
	if (span_is_digits(s) && s.n < 10 && *s.p != '0')
		return 0;
	return conf_fail(
	    c, y->line, "%s: \"%s\" is not a size, as 64Mi or 1Gi", key, text);
}

/* Refuses control characters: the text is written into comments, too. */
static int
check_line(
    struct conf *c, const struct yaml *y, const char *key, const char *text)
{
	for (const char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < ' ')
			return conf_fail(
			    c, y->line, "%s has more than one line", key);
	return 0;
}

static int
check_text(struct conf *c, const struct yaml *y, const struct opkey *key)
{
	const char *text = "";

	if (conf_text(c, y, key->name, &text) != 0)
		return -1;
	if (*text == '\0')
		return conf_fail(c, y->line, "%s is empty", key->name);
	switch (key->shape) {
	case SHAPE_NAME:
		return check_name(c, y, key->name, text);
	case SHAPE_VERSION:
		return imagename_is_version(span_str(text))
		    ? 0
		    : conf_fail(c, y->line,
			  "%s: \"%s\" is not a version as 1.2.3", key->name,
			  text);
	case SHAPE_REPOSITORY:
		return check_image(c, y, text);
	case SHAPE_SCOPE:
		return check_among(c, y, "scope", text, "namespace", "cluster");
	case SHAPE_CREDENTIALS:
		return check_among(c, y, "credentials", text, "stages", "pod");
	case SHAPE_POLICY:
		return strcmp(text, "Always") == 0 ||
			strcmp(text, "IfNotPresent") == 0 ||
			strcmp(text, "Never") == 0
		    ? 0
		    : conf_fail(c, y->line,
			  "imagePullPolicy: \"%s\" is not Always, "
			  "IfNotPresent or Never",
			  text);
	case SHAPE_COUNT:
		return check_count(c, y, key->name, text);
	case SHAPE_SIZE:
		return check_size(c, y, key->name, text);
	case SHAPE_LINE:
		return check_line(c, y, key->name, text);
	default:
		return 0;
	}
}

/* A list, or a mapping whose keys are texts: all elements of that type. */
static int
check_many(struct conf *c, const struct yaml *y, const struct opkey *key,
    enum yaml_type type, enum yaml_type each, const char *what)
{
	if (y->type != type)
		return conf_fail(c, y->line, "%s must be %s", key->name, what);
	for (size_t i = 0; i < y->count; i++)
		if (y->values[i]->type != each)
			return conf_fail(c, y->values[i]->line, "%s must be %s",
			    key->name, what);
	return 0;
}

/* A list of texts of one line. */
static int
check_list(struct conf *c, const struct yaml *y, const struct opkey *key)
{
	int rc = check_many(
	    c, y, key, YAML_SEQUENCE, YAML_SCALAR, "a list of texts");

	for (size_t i = 0; rc == 0 && i < y->count; i++)
		rc = check_line(c, y->values[i], key->name, y->values[i]->text);
	return rc;
}

/* Rights of a stage, by place: lists of rules. */
static int
check_rights(struct conf *c, const struct yaml *y, const struct opkey *key)
{
	static const char *const stages[] = {"kwatch", "kapply", "kstatus",
	    "kelect", "kelect-for-life", "http", NULL};
	static const char *const places[] = {
	    "namespaced", "cluster", "operator_namespace", NULL};
	int rc = conf_keys(c, y, "rights", stages);

	for (size_t i = 0; rc == 0 && i < y->count; i++) {
		const struct yaml *stage = y->values[i];

		rc = conf_keys(c, stage, "rights of a stage", places);
		for (size_t n = 0; rc == 0 && n < stage->count; n++)
			rc = check_many(c, stage->values[n], key, YAML_SEQUENCE,
			    YAML_MAPPING, "lists of rules");
	}
	return rc;
}

/* A text stays as it is written: 1.10 is not the number 1.1. Nothing, ~ and
 * null are the empty text. */
static void
keep_texts(struct yaml *y, const struct opkey *key)
{
	if (key->shape == SHAPE_MAPPING || key->shape == SHAPE_COUNT ||
	    key->shape == SHAPE_RIGHTS)
		return;
	for (size_t i = 0; i < y->count; i++)
		keep_texts(y->values[i], key);
	if (y->type != YAML_SCALAR)
		return;
	if (yaml_is_null(y))
		*y->text = '\0';
	y->quoted = true;
}

static int
check_key(struct conf *c, const struct yaml *y, const struct opkey *key)
{
	switch (key->shape) {
	case SHAPE_TEXTS:
		return check_many(
		    c, y, key, YAML_MAPPING, YAML_SCALAR, "a mapping of texts");
	case SHAPE_RIGHTS:
		return check_rights(c, y, key);
	case SHAPE_LIST:
		return check_list(c, y, key);
	case SHAPE_MAPPINGS:
		return check_many(c, y, key, YAML_SEQUENCE, YAML_MAPPING,
		    "a list of mappings");
	case SHAPE_MAPPING:
		return y->type == YAML_MAPPING
		    ? 0
		    : conf_fail(c, y->line, "%s must be a mapping", key->name);
	default:
		return check_text(c, y, key);
	}
}

static int
check(struct conf *c, struct yaml *y)
{
	const char *allowed[COUNT(keys) + 1] = {NULL};

	for (size_t i = 0; i < COUNT(keys); i++)
		allowed[i] = keys[i].name;
	if (conf_keys(c, y, "operator.yaml", allowed) != 0)
		return -1;
	for (size_t i = 0; i < COUNT(keys); i++) {
		struct yaml *value = yaml_get(y, keys[i].name);

		if (value == NULL && keys[i].required)
			return conf_fail(
			    c, y->line, "%s is missing", keys[i].name);
		if (value != NULL && check_key(c, value, &keys[i]) != 0)
			return -1;
		if (value != NULL)
			keep_texts(value, &keys[i]);
	}
	return 0;
}

int
opfile_take(struct span name, bool below, struct yaml *y, struct err *err)
{
	struct conf c = {"--set", err};

	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct opkey *key = &keys[i];

		if (!span_is(name, key->name))
			continue;
		if (!below && check_key(&c, y, key) != 0)
			return -1;
		if (below && key->shape == SHAPE_TEXTS &&
		    y->type != YAML_SCALAR)
			return conf_fail(&c, y->line,
			    "%s must be a mapping of texts", key->name);
		keep_texts(y, key);
		return 0;
	}
	return conf_fail(&c, y->line, "unknown key \"%.*s\"", SPAN_ARG(name));
}

struct yaml *
opfile_load(const char *path, struct err *err)
{
	struct conf c = {path, err};
	struct yaml *y = yaml_load(path, err);

	if (y != NULL && check(&c, y) != 0) {
		yaml_tree_free(y);
		return NULL;
	}
	return y;
}
