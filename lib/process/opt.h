/*
 * opt: one table per tool drives getopt_long, --help, --version and shell
 * completion of bash, zsh and fish (eval "$(kwatch --completion)" in bash).
 *
 *	static struct opts { bool all; const char *file; } o;
 *	static const struct opt table[] = {
 *		{'f', "filename", "WATCHES", OPT_STRING, &o.file, NULL,
 *		    "what to watch"},
 *		{0, "all", NULL, OPT_FLAG, &o.all, NULL, "print whole sets"},
 *		OPT_END};
 *
 * A row that includes another table (the options common to the tools that
 * talk to the API) is OPT_ROWS(that table).
 * --log-level, --log-format, --log-time, -v, --help, --version and --completion
 * are in every tool and not in the tables. opt_parse applies the first four by
 * log_init.
 *
 * As kubectl-kwatch a tool is the plugin `kubectl kwatch`, and as
 * kubectl_complete-kwatch what completes that (kubectl's plugin_completion.go:
 * the words, of which the last is in the making). `kwatch --complete LATER -- WORDS`
 * is the same for the rules of shells.
 *
 * main is one line:
 *
 *	return opt_main(&tool, argc, argv, run);
 */
#ifndef OPT_H
#define OPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum opt_type {
	OPT_NONE,     /* the end */
	OPT_FLAG,     /* bool */
	OPT_STRING,   /* const char *, borrowed from argv */
	OPT_LIST,     /* struct opt_list: may be given several times */
	OPT_INT,      /* long, >= 0 */
	OPT_DURATION, /* uint64_t milliseconds: 60s, 1h30m */
	OPT_CHOICE,   /* int: index into choices */
	OPT_TABLE,    /* const struct opt *: its rows belong here too */
	OPT_OPERANDS  /* const struct opt_completion * */
};

struct opt_list {
	const char **items; /* array owned, strings borrowed */
	size_t count;
};

struct opt {
	char short_name; /* 0: none */
	const char *name;
	const char *arg; /* name of the argument in --help; NULL: none */
	enum opt_type type;
	void *value;
	const char *const *choices; /* NULL-terminated, for OPT_CHOICE */
	const char *help; /* a line of text; NULL: an old name, not listed */
};

#define OPT_END                                           \
	{                                                 \
		0, NULL, NULL, OPT_NONE, NULL, NULL, NULL \
	}

/* A row that stands for those of another table. */
#define OPT_ROWS(table)                                               \
	{                                                             \
		0, NULL, NULL, OPT_TABLE, (void *)(table), NULL, NULL \
	}

/*
 * Appends what the last word may become, a line each; nothing: a file. The words
 * before it are those of the command line, without the tool; later: the operands
 * that stand behind it already.
 */
typedef void opt_complete_fn(
    struct buf *b, int count, char **words, int later_count, char **later);

/* A row for operands that are not files: how a shell completes them. */
#define OPT_COMPLETES(completion)                                             \
	{                                                                     \
		0, NULL, NULL, OPT_OPERANDS, (void *)(completion), NULL, NULL \
	}

struct opt_completion {
	opt_complete_fn *add;
};

struct opt_tool {
	const char *name;
	const char *synopsis; /* "[-f WATCHES] [RESOURCE]..." */
	/* Lines of text. One that begins with two blanks and a word is about a
	 * command, which the first operand may be. */
	const char *summary;
	const struct opt *table;
};

static inline bool
opt_takes_argument(const struct opt *o)
{
	return o->type != OPT_FLAG;
}

/* The argument may be left out: that of --completion. */
static inline bool
opt_stands_alone(const struct opt *o)
{
	return o->type == OPT_CHOICE && o->value == NULL;
}

/* Appends the words of an OPT_CHOICE. */
void opt_add_choices(struct buf *b, const struct opt *o, const char *between);

/* Options of the log, for opt_pass. */
extern const struct opt opt_log_table[];

enum opt_result { OPT_RUN, OPT_EXIT_0, OPT_BAD };

/*
 * Parses argv (options and operands may be mixed, argv is permuted; "--" ends
 * the options) and starts the log under the tool's name, or under that of
 * argv[0] if it is a longer one, such as shadow-kwatch. Abbreviated long
 * options are refused: a script must not depend on what is unique today.
 * OPT_RUN: *first is the index of the first operand. OPT_EXIT_0: --help or
 * --version was printed, on stdout. OPT_BAD: err names the option (or says
 * that stdout cannot be written); exit err_exit_code.
 */
enum opt_result opt_parse(const struct opt_tool *tool, int argc, char **argv,
    int *first, struct err *err);

/*
 * The whole of main: hardens the process, parses the options, ignores SIGPIPE,
 * and calls run with the operands, which NULL ends. run returns the exit code,
 * or -1 with err, which is logged.
 */
typedef int opt_run_fn(int count, char **operands, struct err *err);
int opt_main(
    const struct opt_tool *tool, int argc, char **argv, opt_run_fn *run);

/*
 * For a main that has to do more. It begins with
 *
 *	code = opt_begin(&tool, argc, argv, &first);
 *	if (code >= 0)
 *		return code;
 *
 * and ends with
 *
 *	return code >= 0 ? code : opt_fatal(&err);
 *
 * opt_begin parses: -1, or the exit code after --help or a bad option, which is
 * logged.
 */
int opt_begin(const struct opt_tool *tool, int argc, char **argv, int *first);

/* Logs err, as what the tool ends for. Returns the exit code it means. */
int opt_fatal(const struct err *err);

/* Options that go together, or do not. A table of rules reads as sentences. */
enum opt_relation { OPT_NEEDS, OPT_EXCLUDES };
struct opt_rule {
	bool given;
	const char *name;
	enum opt_relation relation;
	bool other_given;
	const char *other;
};
/* -1 with err: the first rule that is broken. */
int opt_check_rules(
    const struct opt_rule *rules, size_t count, struct err *err);
/* The descriptor that an option names is open, or -1: not given. */
int opt_check_fd(const char *name, long fd, struct err *err);

/*
 * Passes this tool's options on to a child: appends "--name=value" for
 * each string and flag of table that is set, and each choice. The strings are
 * owned by the caller.
 */
void opt_pass(const struct opt *table, struct opt_list *args);

#endif
