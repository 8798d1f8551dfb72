#include "kubectl/flags.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

static const char *const booleans[] = {"-A", "--all-namespaces", "--all",
    "--force", "--overwrite", "--no-headers", "--server-side",
    "--show-managed-fields", "--ignore-not-found", "--force-conflicts"};
static const char *const valued[] = {"-n", "-o", "-f", "-l", "-p",
    "--kubeconfig", "--context", "--type", "--subresource", "--field-manager",
    "--field-selector", "--raw", "--for", "--timeout", "--wait", "--cascade",
    "--grace-period", "--dry-run", "--validate", "--image", "--replicas",
    "--user", "--role", "--clusterrole", "--verb", "--resource",
    "--from-literal", "--resource-name", "--docker-server", "--docker-username",
    "--docker-password", "--sort-by", "--as", "--duration", "--serviceaccount",
    "--non-resource-url", "--audience"};
static const char *const others[][2] = {{"--namespace", "-n"},
    {"--output", "-o"}, {"--filename", "-f"}, {"--selector", "-l"},
    {"--patch", "-p"}, {"--all-namespaces", "-A"}};

void
flags_not_here(const char *fmt, ...)
{
	const char *test = getenv("T");
	struct buf line = BUF_INIT, path = BUF_INIT;
	va_list ap;
	FILE *flaws;

	buf_adds(&line, "kubectl of t/helpers: not here: ");
	va_start(ap, fmt);
	buf_addv(&line, fmt, ap);
	va_end(ap);
	fflush(stdout);
	fprintf(stderr, "%s\n", buf_str(&line));
	buf_addf(&path, "%s/.flaws", test == NULL ? "" : test);
	flaws = test == NULL ? NULL : fopen(buf_str(&path), "a");
	if (flaws != NULL) { /* `flaw` of t/lib.sh */
		fprintf(flaws, "%s\n", buf_str(&line));
		fclose(flaws);
	}
	exit(EXIT_PERMANENT);
}

static const char *
known(struct span name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (span_is(name, names[i]))
			return names[i];
	return NULL;
}

static struct span
one_spelling(struct span name)
{
	for (size_t i = 0; i < COUNT(others); i++)
		if (span_is(name, others[i][0]))
			return span_str(others[i][1]);
	return name;
}

static void
add(struct flags *f, const char *name, const char *value)
{
	f->given = mem_grow(f->given, f->given_count, sizeof(*f->given));
	f->given[f->given_count++] = (struct flag){name, value};
}

/* Returns how many words it has read. */
static size_t
take_option(struct flags *f, const char *word, const char *next)
{
	struct span value = span_str(word);
	struct span name = one_spelling(span_cut(&value, '='));
	const char *is = known(name, booleans, COUNT(booleans));

	if (is != NULL) {
		add(f, is,
		    value.p == NULL || span_is(value, "true") ? "true" : "");
		return 1;
	}
	is = known(name, valued, COUNT(valued));
	if (is == NULL)
		flags_not_here("option %s", word);
	if (value.p == NULL && next == NULL) {
		fprintf(stderr, "error: flag needs an argument: %s\n", word);
		exit(1);
	}
	add(f, is, value.p == NULL ? next : value.p);
	return value.p == NULL ? 2 : 1;
}

void
flags_parse(struct flags *f, int argc, char **argv)
{
	memset(f, 0, sizeof(*f));
	f->args = mem_array(NULL, (size_t)argc, sizeof(*f->args));
	for (int i = 1; i < argc;) {
		if (argv[i][0] != '-' || argv[i][1] == '\0')
			f->args[f->count++] = argv[i++];
		else
			i += (int)take_option(f, argv[i], argv[i + 1]);
	}
}

const char *
flags_get(const struct flags *f, const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i < f->given_count; i++)
		if (strcmp(f->given[i].name, name) == 0)
			value = f->given[i].value;
	return value == NULL || value[0] == '\0' ? NULL : value;
}

const char *
flags_or(const struct flags *f, const char *name, const char *otherwise)
{
	const char *value = flags_get(f, name);

	return value == NULL ? otherwise : value;
}

const char *
flags_next(const struct flags *f, const char *name, size_t *at)
{
	while (*at < f->given_count) {
		const struct flag *one = &f->given[(*at)++];

		if (strcmp(one->name, name) == 0)
			return one->value;
	}
	return NULL;
}

void
flags_list(const struct flags *f, const char *name, struct textlist *list)
{
	const char *value;

	for (size_t i = 0; (value = flags_next(f, name, &i)) != NULL;)
		textlist_split(list, value);
}
