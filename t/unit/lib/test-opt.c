#include "process/opt.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "process/log.h"
#include "tap.h"

static struct {
	bool all;
	const char *file;
	struct opt_list names;
	long count;
	uint64_t timeout;
	int mode;
	const char *nested;
} o;

static const char *const modes[] = {"none", "server", NULL};
static const struct opt nested_table[] = {
    {'n', "namespace", "NS", OPT_STRING, &o.nested, NULL, "where"}, OPT_END};
static const struct opt table[] = {
    {'f', "filename", "FILE", OPT_STRING, &o.file, NULL, "what to read"},
    {0, "all", NULL, OPT_FLAG, &o.all, NULL, "everything"},
    {0, "name", "NAME", OPT_LIST, &o.names, NULL, "names"},
    {0, "count", "N", OPT_INT, &o.count, NULL, "how many"},
    {0, "number", "N", OPT_INT, &o.count, NULL, NULL}, /* its old name */
    {0, "timeout", "TIME", OPT_DURATION, &o.timeout, NULL, "how long"},
    {0, "dry-run", "MODE", OPT_CHOICE, &o.mode, modes, "whether"},
    OPT_ROWS(nested_table), OPT_END};
static const struct opt_tool tool = {"x", "[FILE]...", "Test.", table};

static int first;
static struct err err;

static enum opt_result
parse(char *a, char *b, char *c, char *d)
{
	char *argv[] = {"x", a, b, c, d, NULL};
	int argc = 1;

	while (argv[argc] != NULL)
		argc++;
	memset(&o, 0, sizeof(o));
	err = (struct err)ERR_INIT;
	return opt_parse(&tool, argc, argv, &first, &err);
}

static void
refuses(char *a, char *b, const char *want)
{
	ok(parse(a, b, NULL, NULL) == OPT_BAD && err.kind == ERR_PERMANENT,
	    want);
	is(err.message, want, "... and says so");
}

/* A tool that is called so logs this. */
static void
logs_as(char *called, const char *want)
{
	char *argv[] = {called, NULL};
	char text[100] = "";
	FILE *f = tmpfile();
	int saved = dup(STDERR_FILENO);

	if (f == NULL || saved < 0)
		perror("tmpfile"), exit(1);
	dup2(fileno(f), STDERR_FILENO);
	opt_parse(&tool, 1, argv, &first, &err);
	log_info("m");
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	if (fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	fclose(f);
	is(text, want, called);
}

TEST(names)
{
	char own[100], other[100], path[100], inside[100];

	snprintf(own, sizeof(own), "%s: m\n", tool.name);
	logs_as("x", own);
	snprintf(path, sizeof(path), "/bin/shadow-%s", tool.name);
	snprintf(other, sizeof(other), "shadow-%s: m\n", tool.name);
	logs_as(path, other);
	snprintf(inside, sizeof(inside), "no%s", tool.name);
	logs_as(inside, own);
}

TEST(values)
{
	ok(parse("-f", "a", "--all", "--namespace=n") == OPT_RUN, "accepted");
	is(o.file, "a", "a short option with a value");
	ok(o.all, "a flag");
	is(o.nested, "n", "an option of a nested table");
	ok(first == 5, "no operand is left");

	ok(parse("operand", "--filename", "f", "second") == OPT_RUN,
	    "operands may come first");
	is(o.file, "f", "a long option, its value apart");
	ok(first == 3, "both operands are behind the options");

	parse("--name=a", "--name", "b", NULL);
	ok(o.names.count == 2, "a list takes several");
	is(o.names.items[1], "b", "... in their order");
	free(o.names.items);

	parse("--count=12", "--timeout=1m", "--dry-run=server", NULL);
	ok(o.count == 12, "a number");
	ok(o.timeout == 60000, "a duration, in milliseconds");
	ok(o.mode == 1, "a choice");

	ok(parse("--all", "--", "--all", "-x") == OPT_RUN && first == 3,
	    "-- ends the options");
	/* Its value looks like an option. */
	ok(parse("-f", "--all", NULL, NULL) == OPT_RUN && !o.all,
	    "a value may begin with --");
	parse("--filename", "--filename", NULL, NULL);
	is(o.file, "--filename", "... even with its own name");
}

TEST(old_name)
{
	ok(parse("--number=3", NULL, NULL, NULL) == OPT_RUN && o.count == 3,
	    "an old name of an option is accepted");
	refuses("--numbre=3", NULL, "unknown option --numbre (see --help)");
}

TEST(refusals)
{
	refuses("--nosuch=1", NULL, "unknown option --nosuch (see --help)");
	refuses("--filenam", "x",
	    "unknown option --filenam (did you mean --filename?)");
	refuses("--fliename=x", NULL,
	    "unknown option --fliename (did you mean --filename?)");
	refuses("-x", NULL, "unknown option -x (see --help)");
	refuses("--al", NULL, "unknown option --al (did you mean --all?)");
	refuses("--file=x", NULL,
	    "unknown option --file (did you mean --filename?)");
	refuses(
	    "--file", "x", "unknown option --file (did you mean --filename?)");
	refuses("-f", NULL, "option --filename needs a value");
	refuses("--filename", NULL, "option --filename needs a value");
	refuses("--all=1", NULL, "option --all takes no value");
	refuses(
	    "--count=1x", NULL, "option --count needs a number, not \"1x\"");
	refuses(
	    "--count=-1", NULL, "option --count needs a number, not \"-1\"");
	refuses("--count", "99999999999999999999",
	    "option --count needs a number, not \"99999999999999999999\"");
	refuses("--timeout=5", NULL,
	    "option --timeout needs a duration such as 60s or 1h30m, "
	    "not \"5\"");
	refuses("--dry-run=client", NULL,
	    "option --dry-run needs one of none|server, not \"client\"");
}

TEST(pass)
{
	struct opt_list args = {NULL, 0};

	parse("-fx", "--all", "-n", "y z");
	opt_pass(table, &args);
	ok(args.count == 4, "what is set is handed on");
	if (args.count == 4) {
		is(args.items[0], "--filename=x", "... a string");
		is(args.items[1], "--all", "... a flag");
		is(args.items[2], "--dry-run=none", "... a choice");
		is(args.items[3], "--namespace=y z", "... of a nested table");
	}
	for (size_t i = 0; i < args.count; i++)
		free((void *)args.items[i]);
	free(args.items);
}

/* The answer of a rule about --a and --b, each given or not. */
static const char *
rule(enum opt_relation relation, bool given, bool other_given)
{
	const struct opt_rule rules[] = {{false, "x", OPT_NEEDS, false, "y"},
	    {given, "a", relation, other_given, "b"}};

	err = (struct err)ERR_INIT;
	return opt_check_rules(rules, 2, &err) == 0 ? "fine" : err.message;
}

TEST(rules)
{
	is(rule(OPT_NEEDS, true, true), "fine", "an option has what it needs");
	is(rule(OPT_NEEDS, false, false), "fine", "... or is not given");
	is(rule(OPT_NEEDS, true, false), "option --a needs --b", "... or not");
	is(rule(OPT_EXCLUDES, true, false), "fine", "an option is alone");
	is(rule(OPT_EXCLUDES, false, true), "fine", "... or not given");
	is(rule(OPT_EXCLUDES, true, true),
	    "options --a and --b exclude each other", "... or not alone");
}

TEST(descriptors)
{
	ok(opt_check_fd("fd", -1, &err) == 0 &&
		opt_check_fd("fd", 0, &err) == 0,
	    "a descriptor is not given, or open");
	ok(opt_check_fd("fd", 4294967296, &err) != 0,
	    "one beyond all numbers is not the one that it ends in");
	opt_check_fd("fd", 99, &err);
	is(err.message, "option --fd: descriptor 99 is not open",
	    "one that is not open is named");
}
