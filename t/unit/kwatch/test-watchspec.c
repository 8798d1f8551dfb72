/* The kinds that several files name, united. */
#include "watchspec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "tap.h"

enum { FILES_MAX = 8 };

static char dir[] = "/tmp/test-watchspec-XXXXXX";
static struct watchspecs specs;
static struct watches *files[FILES_MAX];
static size_t count;
static struct err err;

static void
put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		perror(name), exit(1);
}

static void
forget(void)
{
	watchspecs_release(&specs);
	while (count > 0)
		watches_free(files[--count]);
	err = (struct err)ERR_INIT;
}

static int
add(const char *name, const char *text)
{
	put(name, text);
	files[count] = watches_load(name, NULL, &err);
	if (files[count] == NULL)
		return -1;
	return watchspecs_add_watches(&specs, files[count++], &err);
}

static const struct watchspec *
find(const char *kind)
{
	const struct watchspec *found = NULL;

	for (size_t i = 0; i < specs.count; i++)
		if (strcmp(specs.items[i]->kind, kind) == 0)
			found = found == NULL ? specs.items[i] : NULL;
	return found;
}

#define PRIMARY                                          \
	"- group: e.com\n  version: v1\n  kind: Thing\n" \
	"  program: p.jq\n"
#define RELATED PRIMARY "  related:\n"

static void
test_kinds(void)
{
	ok(add("a.yaml",
	       PRIMARY
	       "  dependents:\n"
	       "  - {apiVersion: v1, kind: ConfigMap, manage: true}\n") == 0 &&
		add("b.yaml",
		    PRIMARY
		    "  dependents:\n"
		    "  - {apiVersion: v1, kind: ConfigMap, manage: true}\n"
		    "  - {apiVersion: v1, kind: Secret, manage: true}\n") == 0,
	    "two files");
	ok(specs.count == 3 && find("Thing") != NULL &&
		find("ConfigMap") != NULL && find("Secret") != NULL,
	    "... each kind once");
	ok(add("a.yaml", PRIMARY) == 0 && specs.count == 3,
	    "a file again adds nothing");
	forget();
}

/* The object with the fields that are watched. */
static const char *
cut(const struct watchspec *n)
{
	static char text[1000];
	struct buf out = BUF_INIT;

	if (n == NULL || n->project == NULL)
		return "whole";
	project_cut(n->project, span_str("v1"), span_str("Pod"),
	    span_str("{\"metadata\":{\"name\":\"n\"},"
		     "\"spec\":{\"a\":1,\"b\":2,\"c\":3}}"),
	    &out);
	snprintf(text, sizeof(text), "%s", buf_str(&out));
	buf_release(&out);
	return text;
}

static void
test_fields(void)
{
	add("a.yaml",
	    RELATED "  - {apiVersion: v1, kind: Pod, fields: [spec.a]}\n");
	ok(add("b.yaml",
	       RELATED
	       "  - {apiVersion: v1, kind: Pod, fields: [spec.b]}\n") == 0,
	    "other fields of a kind");
	is(cut(find("Pod")),
	    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":"
	    "{\"name\":\"n\"},\"spec\":{\"a\":1,\"b\":2}}",
	    "... are united");
	add("c.yaml", RELATED "  - {apiVersion: v1, kind: Pod}\n");
	is(cut(find("Pod")), "whole", "... none: whole objects");
	forget();
	add("c.yaml", RELATED "  - {apiVersion: v1, kind: Pod}\n");
	add("a.yaml",
	    RELATED "  - {apiVersion: v1, kind: Pod, fields: [spec.a]}\n");
	is(cut(find("Pod")), "whole", "... in the other order as well");
	forget();
}

static void
test_places(void)
{
	const struct watchspec *n;

	add("a.yaml",
	    RELATED "  - {apiVersion: v1, kind: Pod, namespaces: [a, b],\n"
		    "     redact: [spec.x], optional: true}\n");
	add("b.yaml",
	    RELATED "  - {apiVersion: v1, kind: Pod, namespaces: [b, c],\n"
		    "     redact: [spec.y]}\n");
	n = find("Pod");
	ok(n != NULL && n->namespaces.count == 3, "namespaces are united");
	ok(n != NULL && n->redact.count == 2, "... and what is hidden");
	ok(n != NULL && n->missing == WATCHSPEC_WAIT,
	    "optional in one file is not optional");
	add("c.yaml", RELATED "  - {apiVersion: v1, kind: Pod}\n");
	ok(n != NULL && n->namespaces.count == 0, "all namespaces count more");
	forget();
}

#define BY_LABEL "  - {apiVersion: v1, kind: Pod, namespaceSelector: "

static void
test_rooms(void)
{
	const struct watchspec *n;

	add("a.yaml", RELATED BY_LABEL "team=a}\n");
	n = find("Pod");
	ok(n != NULL && n->room_count == 1 && !watchspec_is_everywhere(n),
	    "namespaces by label");
	is(n->rooms[0].selector, "team=a", "... the selector");
	n = find("Namespace");
	is(n != NULL ? n->selector : NULL, "team=a",
	    "... the Namespaces are watched by it");
	ok(n != NULL && n->metadata_only, "... and only their metadata");
	add("b.yaml", RELATED BY_LABEL "team=b, namespaces: [x]}\n");
	add("c.yaml",
	    RELATED "  - {apiVersion: v1, kind: Pod, namespaces: [y]}\n");
	n = find("Pod");
	ok(n->room_count == 2 && n->namespaces.count == 1,
	    "others by label, and by name");
	ok(n->rooms[0].names.count == 0 && n->rooms[1].names.count == 1,
	    "... of one some are chosen by name");
	is(find("Namespace")->selector, NULL,
	    "... two selectors: all are read");
	add("d.yaml", RELATED "  - {apiVersion: v1, kind: Pod}\n");
	ok(watchspec_is_everywhere(n), "everywhere counts more");
	add("a.yaml", RELATED BY_LABEL "team=c}\n");
	ok(watchspec_is_everywhere(n), "... also before");
	forget();
}

#define SELECTED(label)                                            \
	"  - {apiVersion: v1, kind: Pod, selector: {matchLabels: " \
	"{a: " label "}}}\n"

static void
test_selectors(void)
{
	const struct watchspec *n;

	add("a.yaml", RELATED SELECTED("x"));
	add("b.yaml", RELATED SELECTED("x"));
	n = find("Pod");
	is(n != NULL ? n->selector : NULL, "a=x", "the same selector stays");
	ok(add("c.yaml", RELATED SELECTED("y")) == 0 && n->selector == NULL,
	    "another one: all objects");
	forget();
	add("a.yaml", PRIMARY "  selector: {matchLabels: {a: x}}\n");
	ok(add("b.yaml", "\n" PRIMARY "  selector: {matchLabels: {a: y}}\n") !=
		0,
	    "another selector of a primary is refused");
	ok(strncmp(err.message, "b.yaml:2: Thing is a primary with ", 34) == 0,
	    "... with file and line");
	forget();
}

static void
test_versions(void)
{
	add("a.yaml", "\n" RELATED "  - {apiVersion: apps/v1, kind: Set}\n");
	ok(add("b.yaml", RELATED "  - {apiVersion: apps/v2, kind: Set}\n") != 0,
	    "another version in another file is refused");
	is(err.message,
	    "b.yaml:6: Set is watched in version v1 because of a.yaml:7, not "
	    "in v2: a kind is watched in one version",
	    "... with both files and lines");
	forget();
	ok(add("a.yaml", RELATED "  - {apiVersion: apps/v1, kind: Set}\n") ==
		    0 &&
		add("b.yaml",
		    RELATED "  - {apiVersion: other/v2, kind: Set}\n") == 0,
	    "another group is another kind");
	forget();
}

int
main(void)
{
	static const char *const names[] = {
	    "a.yaml", "b.yaml", "c.yaml", "p.jq"};

	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		perror(dir), exit(1);
	put("p.jq", "");
	test_kinds();
	test_fields();
	test_places();
	test_rooms();
	test_selectors();
	test_versions();
	for (size_t i = 0; i < COUNT(names); i++)
		unlink(names[i]);
	rmdir(dir);
	return tap_done();
}
