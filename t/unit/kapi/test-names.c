// alone: it has functions in place of the tool's
/* Names, labels, metadata: which are accepted, and how the others are
 * refused. */
#include "type/objectmeta.h"

#include "trees.h"
#include "type/strategy.h"

struct span
resource_name(struct arena *a, const struct resource *r)
{
	(void)a;
	return r->plural;
}

/* All causes, each "FIELD: MESSAGE" up to the regular expression. */
static const char *
causes_text(const struct causes *c)
{
	static char said[2048];
	size_t at = 0;

	said[0] = '\0';
	for (size_t i = 0; i < c->n && at < sizeof said; i++) {
		struct span m = c->items[i].message;
		const char *cut = memmem(m.p, m.n, " (e.g.", 6);

		if (cut != NULL)
			m.n = (size_t)(cut - m.p);
		at += (size_t)snprintf(said + at, sizeof said - at,
		    "%s%.*s: %.*s", i == 0 ? "" : "; ",
		    SPAN_ARG(c->items[i].field), SPAN_ARG(m));
	}
	return said;
}

static void
name(const char *value, enum name_rule rule, bool generate, const char *want)
{
	struct causes c = {&arena, NULL, 0};

	name_check(&c, span_str("n"), span_str(value), rule, generate);
	is(causes_text(&c), want, value);
}

#define LABEL_WORDS                                                    \
	"a lowercase RFC 1123 label must consist of lower case "       \
	"alphanumeric characters or '-', and must start and end with " \
	"an alphanumeric character"
#define SUBDOMAIN_WORDS                                                \
	"a lowercase RFC 1123 subdomain must consist of lower case "   \
	"alphanumeric characters, '-' or '.', and must start and end " \
	"with an alphanumeric character"

TEST(names)
{
	char longest[256];

	memset(longest, 'a', sizeof longest);
	longest[253] = '\0';
	name("a", NAME_LABEL, false, "");
	name("1-a", NAME_LABEL, false, "");
	name("a.b", NAME_LABEL, false,
	    "n: Invalid value: \"a.b\": must not contain dots");
	name("A", NAME_LABEL, false, "n: Invalid value: \"A\": " LABEL_WORDS);
	name("-a", NAME_LABEL, false, "n: Invalid value: \"-a\": " LABEL_WORDS);
	name("a.b-c.d", NAME_SUBDOMAIN, false, "");
	name("a..b", NAME_SUBDOMAIN, false,
	    "n: Invalid value: \"a..b\": " SUBDOMAIN_WORDS);
	name("a-", NAME_SUBDOMAIN, false,
	    "n: Invalid value: \"a-\": " SUBDOMAIN_WORDS);
	name("a-", NAME_SUBDOMAIN, true, "");
	name(longest, NAME_SUBDOMAIN, false, "");
	longest[253] = 'a';
	longest[254] = '\0';
	ok(name_check_subdomain(span_str(longest)) != NULL, "254 characters");
	ok(name_check_dns1035(span_str("1a")) != NULL, "a digit in front");
	name("a:b*", NAME_SEGMENT, false, "");
	name("..", NAME_SEGMENT, false,
	    "n: Invalid value: \"..\": may not be '..'");
	name("a/b%", NAME_SEGMENT, false,
	    "n: Invalid value: \"a/b%\": may not contain '/'; n: Invalid "
	    "value: \"a/b%\": may not contain '%'");
}

TEST(labels)
{
	char value[80];

	memset(value, 'a', sizeof value);
	value[63] = '\0';
	ok(name_check_label_value(span_str(value)) == NULL, "63 characters");
	value[63] = 'a';
	value[64] = '\0';
	is(name_check_label_value(span_str(value)),
	    "must be no more than 63 bytes", "64 characters");
	ok(name_check_label_value(span_str("")) == NULL, "an empty value");
	ok(name_check_label_value(span_str("a_")) != NULL, "a bad end");
}

/* The error of a key; "" if it is valid. */
static struct span
wrong_with(const char *key)
{
	struct causes c = {&arena, NULL, 0};

	name_qualified(&c, SPAN_NONE, SPAN_NONE, span_str(key));
	return c.n == 0 ? span_str("") : c.items[0].detail;
}

TEST(keys)
{
	ok(span_is(wrong_with("example.com/a.B_c"), ""), "a key with a prefix");
	ok(span_is(wrong_with("/a"), "prefix part must be non-empty"),
	    "an empty prefix");
	ok(span_is(wrong_with("a/"), "name part must be non-empty"),
	    "an empty name");
}

static const struct strategy strategy = {.names = NAME_SUBDOMAIN};
static const struct resource maps = {.strategy = &strategy,
    .plural = {"configmaps", 10},
    .kind = {"ConfigMap", 9},
    .namespaced = true};

static void
metadata(const char *json, const char *want)
{
	struct causes c = {&arena, NULL, 0};

	objectmeta_validate(&c, &maps, parse(json));
	is(causes_text(&c), want, json);
}

TEST(metadata)
{
	metadata("{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"}}", "");
	metadata("{\"metadata\":{\"namespace\":\"b\"}}",
	    "metadata.name: Required value: name or generateName is required");
	metadata("{\"metadata\":{\"name\":\"a\"}}",
	    "metadata.namespace: Required value");
	metadata("{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\","
		 "\"generation\":-1}}",
	    "metadata.generation: Invalid value: -1: must be greater than or "
	    "equal to 0");
	metadata("{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\","
		 "\"annotations\":{\"A/b\":\"any thing\"}}}",
	    "");
	metadata("{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\","
		 "\"finalizers\":[\"orphan\",\"foregroundDeletion\"]}}",
	    "metadata.finalizers: Invalid value: "
	    "[\"orphan\",\"foregroundDeletion\"]: finalizer orphan and "
	    "foregroundDeletion cannot be both set");
	metadata("{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\","
		 "\"ownerReferences\":[{\"kind\":\"K\",\"uid\":\"u\"}]}}",
	    "metadata.ownerReferences.apiVersion: Invalid value: \"\": "
	    "version must not be empty; metadata.ownerReferences.name: "
	    "Invalid value: \"\": must not be empty");
}

static void
update(const char *live, const char *object, const char *want)
{
	struct causes c = {&arena, NULL, 0};

	objectmeta_validate_update(&c, &maps, parse(live), parse(object));
	is(causes_text(&c), want, object);
}

TEST(updates)
{
	static const char live[] = "{\"metadata\":{\"name\":\"a\",\"uid\":"
				   "\"u\",\"generation\":2}}";

	update(live,
	    "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\",\"generation\":2,"
	    "\"resourceVersion\":\"5\"}}",
	    "");
	update(live,
	    "{\"metadata\":{\"name\":\"a\",\"uid\":\"v\",\"generation\":1,"
	    "\"resourceVersion\":\"5\"}}",
	    "metadata.generation: Invalid value: 1: must not be decremented; "
	    "metadata.uid: Invalid value: \"v\": field is immutable");
	update("{\"metadata\":{\"name\":\"a\",\"deletionTimestamp\":"
	       "\"2026-01-02T03:04:05Z\",\"finalizers\":[\"a/b\"]}}",
	    "{\"metadata\":{\"name\":\"a\",\"deletionTimestamp\":"
	    "\"2026-01-02T03:04:05Z\",\"finalizers\":[\"a/c\",\"a/b\","
	    "\"a/a\"],\"resourceVersion\":\"5\"}}",
	    "metadata.finalizers: Forbidden: no new finalizers can be added "
	    "if the object is being deleted, found new finalizers "
	    "[]string{\"a/a\", \"a/c\"}");
}

TEST(generated)
{
	struct span prefix = span_str("a-prefix-of-more-than-fifty-eight-"
				      "characters-that-is-cut-here-not");
	struct span n = objectmeta_generate_name(&arena, prefix);

	ok(n.n == 63 && memcmp(n.p, prefix.p, 58) == 0, "58 and 5 characters");
	ok(name_check_subdomain(n) == NULL, "... that make a name");
	n = objectmeta_uuid(&arena);
	ok(n.n == 36 && n.p[14] == '4' && strchr("89ab", n.p[19]) != NULL,
	    "a UUID of version 4");
	ok(objectmeta_time_now(&arena).n == 20 &&
		objectmeta_time_now_micro(&arena).n == 27,
	    "times");
}

int
main(void)
{
	tap_run();
	arena_release(&arena);
	return tap_done();
}
