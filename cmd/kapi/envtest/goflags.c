#include "envtest/goflags.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "type/tables.h"

/* Assembled where make runs: at the top of the repository. */
__asm__(".section .rodata\n"
	".global goflags_text, goflags_end\n"
	"goflags_text: .incbin \"cmd/kapi/envtest/flags.txt\"\n"
	"goflags_end: .byte 0\n"
	".previous\n");

extern const char goflags_text[], goflags_end[];

static struct span
all_flags(void)
{
	return span_make(goflags_text, (size_t)(goflags_end - goflags_text));
}

/* Whether it is name, in which _ stands for - too. */
static bool
is_named(struct span flag, struct span name)
{
	if (flag.n != name.n)
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (flag.p[i] != (name.p[i] == '_' ? '-' : name.p[i]))
			return false;
	return true;
}

/* False: there is none of that name. */
static bool
find(struct span name, struct goflag *f, bool *is_bool)
{
	struct span rest = all_flags(), line;

	while ((line = tables_line(&rest)).p != NULL) {
		f->name = tables_cell(&line);
		if (!is_named(f->name, name))
			continue;
		*is_bool = line.n == 0 || span_is(f->name, "version");
		return true;
	}
	return false;
}

static int
unknown(struct span name, struct err *err)
{
	struct span rest = all_flags(), line;
	struct nearest near;

	nearest_init(&near, name);
	while ((line = tables_line(&rest)).p != NULL)
		nearest_offer(&near, tables_cell(&line), 0);
	if (near.name.n > 0)
		return err_set(err, ERR_PERMANENT,
		    "unknown flag: --%.*s (did you mean --%.*s?)",
		    SPAN_ARG(name), SPAN_ARG(near.name));
	return err_set(
	    err, ERR_PERMANENT, "unknown flag: --%.*s", SPAN_ARG(name));
}

bool
goflags_bool(const char *text, bool *value)
{
	static const char *const words[] = {"0", "f", "F", "false", "False",
	    "FALSE", "1", "t", "T", "true", "True", "TRUE"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(text, words[i]) == 0) {
			*value = i >= COUNT(words) / 2;
			return true;
		}
	return false;
}

static int
check_bool(const struct goflag *f, struct err *err)
{
	bool value;

	if (span_is(f->name, "version") || goflags_bool(f->value, &value))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "invalid argument \"%s\" for \"--%.*s\" flag: want true or false",
	    f->value, SPAN_ARG(f->name));
}

/* The flag of argv[*i], which moves to its last word. */
static int
take_long(char **argv, int *i, struct goflag *f, struct err *err)
{
	const char *word = argv[*i] + 2;
	size_t n = strcspn(word, "=");
	bool is_bool;

	if (n == 0 || word[0] == '-')
		return err_set(
		    err, ERR_PERMANENT, "bad flag syntax: %s", argv[*i]);
	if (!find(span_make(word, n), f, &is_bool))
		return unknown(span_make(word, n), err);
	if (word[n] == '=')
		f->value = word + n + 1;
	else if (is_bool)
		f->value = "true";
	else if (argv[*i + 1] != NULL)
		f->value = argv[++*i];
	else
		return err_set(
		    err, ERR_PERMANENT, "flag needs an argument: %s", argv[*i]);
	return is_bool ? check_bool(f, err) : 0;
}

/* Takes -h or -v, the only short flags. */
static int
take_short(char **argv, int *i, struct goflag *f, struct err *err)
{
	const char *word = argv[*i];

	if (strcmp(word, "-h") == 0) {
		*f = (struct goflag){span_str("help"), "true"};
		return 0;
	}
	if (word[1] != 'v')
		return err_set(err, ERR_PERMANENT,
		    "unknown shorthand flag: '%c' in %s", word[1], word);
	f->name = span_str("v");
	f->value = word + 2;
	if (f->value[0] == '=')
		f->value++;
	else if (f->value[0] == '\0' && argv[*i + 1] != NULL)
		f->value = argv[++*i];
	if (f->value[0] != '\0')
		return 0;
	return err_set(
	    err, ERR_PERMANENT, "flag needs an argument: 'v' in %s", word);
}

int
goflags_parse(int argc, char **argv, goflags_fn *fn, void *arg, struct err *err)
{
	int rc = 0, i = 1;

	for (; rc == 0 && i < argc && argv[i][0] == '-' && argv[i][1] != '\0';
	     i++) {
		struct goflag f = {SPAN_NONE, NULL};

		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		rc = argv[i][1] == '-' ? take_long(argv, &i, &f, err)
				       : take_short(argv, &i, &f, err);
		if (rc == 0)
			rc = fn(arg, &f, err);
	}
	if (rc == 0 && i < argc)
		rc = err_set(err, ERR_PERMANENT,
		    "it takes flags only, not \"%s\"", argv[i]);
	return rc;
}

void
goflags_list(struct buf *b)
{
	struct span rest = all_flags(), line;

	while ((line = tables_line(&rest)).p != NULL) {
		struct span name = tables_cell(&line);

		buf_addf(
		    b, "      --%.*s %.*s\n", SPAN_ARG(name), SPAN_ARG(line));
	}
}
