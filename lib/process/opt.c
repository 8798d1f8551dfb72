#include "process/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "process/completion.h"
#include "process/file.h"
#include "process/harden.h"
#include "process/log.h"
#include "process/version.h"
#include "value/duration.h"

#ifndef KPIPE_VERSION
#define KPIPE_VERSION "unknown"
#endif

/* Set by -v, --log-level, --log-format and --log-time; see opt_log_table. */
static struct {
	bool verbose;
	int level;
	int format;
	bool time;
} log_opts = {false, LOG_INFO, LOG_TEXT, false};

static const char *const log_levels[] = {
    "debug", "info", "warning", "error", NULL};
static const char *const log_formats[] = {"text", "json", NULL};

const struct opt opt_log_table[] = {
    {'v', "verbose", NULL, OPT_FLAG, &log_opts.verbose, NULL,
	"log more: the same as --log-level=debug"},
    {0, "log-level", "LEVEL", OPT_CHOICE, &log_opts.level, log_levels,
	"log nothing less than this"},
    {0, "log-format", "FORMAT", OPT_CHOICE, &log_opts.format, log_formats,
	"how log lines look"},
    {0, "log-time", NULL, OPT_FLAG, &log_opts.time, NULL,
	"begin each log line with the time, as -v and JSON do"},
    OPT_END};

/* The options of every tool, in the order of enum builtin. */
static const struct opt builtins[] = {
    {'h', "help", NULL, OPT_FLAG, NULL, NULL, "print this and exit"},
    {0, "version", NULL, OPT_FLAG, NULL, NULL,
	"print version, commit and libraries, and exit"},
    {0, "completion", "SHELL", OPT_CHOICE, NULL, completion_shells,
	"print completion rules for a shell (bash) and exit"},
    OPT_END};
enum builtin { BUILTIN_HELP, BUILTIN_VERSION, BUILTIN_COMPLETION };

/* All rows of a tool in one array, nested tables and builtins included. */
struct rows {
	const struct opt **items;
	size_t count;
	const struct opt_completion *operands; /* borrowed, or NULL */
};

static void
rows_push(struct rows *rows, const struct opt *o)
{
	rows->items = mem_grow(rows->items, rows->count, sizeof(*rows->items));
	rows->items[rows->count++] = o;
}

static void
rows_add(struct rows *rows, const struct opt *table)
{
	for (; table->type != OPT_NONE; table++) {
		if (table->type == OPT_TABLE)
			rows_add(rows, table->value);
		else if (table->type == OPT_OPERANDS)
			rows->operands = table->value;
		else
			rows_push(rows, table);
	}
}

void
opt_add_choices(struct buf *b, const struct opt *o, const char *between)
{
	for (size_t i = 0; o->choices[i] != NULL; i++)
		buf_addf(b, "%s%s", i > 0 ? between : "", o->choices[i]);
}

/* "", "=text|json" or "[=bash|zsh]", which --help shows behind the name. */
static void
add_argument(struct buf *b, const struct opt *o)
{
	if (!opt_takes_argument(o))
		return;
	buf_adds(b, opt_stands_alone(o) ? "[=" : "=");
	if (o->type == OPT_CHOICE)
		opt_add_choices(b, o, "|");
	else
		buf_adds(b, o->arg != NULL ? o->arg : "VALUE");
	if (opt_stands_alone(o))
		buf_addc(b, ']');
}

enum { HELP_COLUMN = 30, HELP_WIDTH = 79 };

/* The text, which begins at this column, wrapped between words. */
static void
add_wrapped(struct buf *b, size_t indent, const char *text)
{
	size_t column = indent;

	for (;;) {
		size_t n = strcspn(text, " ");

		buf_add(b, text, n);
		column += n;
		text += n;
		if (*text == '\0')
			break;
		n = 1 + strcspn(++text, " ");
		if (column + n <= HELP_WIDTH) {
			buf_addc(b, ' ');
			column++;
		} else {
			buf_addf(b, "\n%*s", (int)indent, "");
			column = indent;
		}
	}
	buf_addc(b, '\n');
}

static void
add_help_row(struct buf *b, const struct opt *o)
{
	size_t start = b->len;

	if (o->short_name != 0)
		buf_addf(b, "  -%c, --%s", o->short_name, o->name);
	else
		buf_addf(b, "      --%s", o->name);
	add_argument(b, o);
	if (b->len - start > HELP_COLUMN - 2) {
		buf_addc(b, '\n');
		start = b->len;
	}
	while (b->len - start < HELP_COLUMN)
		buf_addc(b, ' ');
	add_wrapped(b, HELP_COLUMN, o->help);
}

/* Whether kubectl has started it, as kubectl-<tool>. */
static bool
is_plugin(void)
{
	return span_starts(span_str(program_invocation_short_name), "kubectl-");
}

static void
render_help(struct buf *b, const struct opt_tool *tool, const struct rows *rows)
{
	buf_addf(b, "Usage: %s%s ", is_plugin() ? "kubectl " : "", tool->name);
	add_wrapped(b, b->len, tool->synopsis);
	buf_addf(b, "%s\n\nOptions:\n", tool->summary);
	for (size_t i = 0; i < rows->count; i++)
		add_help_row(b, rows->items[i]);
}

/* Without old names. */
static struct rows
shown_rows(const struct rows *rows)
{
	struct rows shown = {NULL, 0, rows->operands};

	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i]->help != NULL)
			rows_push(&shown, rows->items[i]);
	return shown;
}

static enum opt_result
write_out(struct buf *b, struct err *err)
{
	bool written = fwrite(buf_str(b), 1, b->len, stdout) == b->len &&
	    fflush(stdout) == 0;

	buf_release(b);
	if (written)
		return OPT_EXIT_0;
	err_set(
	    err, ERR_TRANSIENT, "cannot write to stdout: %s", strerror(errno));
	return OPT_BAD;
}

static enum opt_result
print(const struct opt_tool *tool, const struct rows *rows, enum builtin what,
    enum completion_shell shell, struct err *err)
{
	struct buf b = BUF_INIT;
	struct rows shown = shown_rows(rows);

	if (what == BUILTIN_HELP)
		render_help(&b, tool, &shown);
	else if (what == BUILTIN_VERSION) {
		buf_addf(&b, "%s %s\n", tool->name, KPIPE_VERSION);
		version_describe(&b);
	} else
		completion_add(&b, shell, tool, shown.operands != NULL,
		    shown.items, shown.count);
	free(shown.items);
	return write_out(&b, err);
}

/* The words of kubectl_complete-<tool>, or of --complete, which may have later
 * operands before "--". False: it is another call. */
static bool
complete_words(const struct rows *rows, int argc, char **argv, struct buf *b)
{
	bool asked = argc > 1 && strcmp(argv[1], "--complete") == 0;
	int later = asked ? 2 : 1, first = later;
	const char *word = argc > 1 ? argv[argc - 1] : "";
	struct rows shown;

	if (!asked &&
	    !span_starts(span_str(file_base(argv[0])), "kubectl_complete-"))
		return false;
	while (asked && first < argc && strcmp(argv[first], "--") != 0)
		first++;
	if (!asked && *word == '-') {
		shown = shown_rows(rows);
		completion_add_options(b, word, shown.items, shown.count);
		free(shown.items);
	} else if (rows->operands != NULL && first + asked < argc) {
		rows->operands->add(b, argc - first - asked,
		    argv + first + asked, first - later, argv + later);
	}
	return true;
}

static int
set_int(const struct opt *o, const char *arg, struct err *err)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(arg, &end, 10);
	if (errno != 0 || end == arg || *end != '\0' || !span_is_digit(*arg))
		return err_set(err, ERR_PERMANENT,
		    "option --%s needs a number, not \"%s\"", o->name, arg);
	*(long *)o->value = n;
	return 0;
}

static int
choose(const struct opt *o, const char *arg, int *choice, struct err *err)
{
	struct buf b = BUF_INIT;

	for (int i = 0; o->choices[i] != NULL; i++)
		if (strcmp(o->choices[i], arg) == 0) {
			*choice = i;
			return 0;
		}
	opt_add_choices(&b, o, "|");
	err_set(err, ERR_PERMANENT, "option --%s needs one of %s, not \"%s\"",
	    o->name, buf_str(&b), arg);
	buf_release(&b);
	return -1;
}

static int
set_value(const struct opt *o, const char *arg, struct err *err)
{
	struct opt_list *list = o->value;

	switch (o->type) {
	case OPT_FLAG:
		*(bool *)o->value = true;
		return 0;
	case OPT_STRING:
		*(const char **)o->value = arg;
		return 0;
	case OPT_LIST:
		list->items =
		    mem_grow(list->items, list->count, sizeof(*list->items));
		list->items[list->count++] = arg;
		return 0;
	case OPT_INT:
		return set_int(o, arg, err);
	case OPT_DURATION:
		if (duration_parse_ms(span_str(arg), o->value) == 0)
			return 0;
		return err_set(err, ERR_PERMANENT,
		    "option --%s needs a duration such as 60s or 1h30m, "
		    "not \"%s\"",
		    o->name, arg);
	case OPT_CHOICE:
		return choose(o, arg, o->value, err);
	case OPT_NONE:
	case OPT_TABLE:
	case OPT_OPERANDS:
		break;
	}
	return err_set(err, ERR_BUG, "option --%s has no type", o->name);
}

/* getopt_long returns this plus the index of the row. */
enum { LONG_BASE = 256 };

static struct option *
long_options(const struct rows *rows)
{
	struct option *longs = mem_zalloc((rows->count + 1) * sizeof(*longs));

	for (size_t i = 0; i < rows->count; i++) {
		longs[i].name = rows->items[i]->name;
		if (opt_takes_argument(rows->items[i]))
			longs[i].has_arg = opt_stands_alone(rows->items[i])
			    ? optional_argument
			    : required_argument;
		longs[i].val = LONG_BASE + (int)i;
	}
	return longs;
}

/* The leading ":" tells a missing argument from an unknown option. */
static char *
short_options(const struct rows *rows)
{
	struct buf b = BUF_INIT;

	buf_addc(&b, ':');
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->items[i]->short_name == 0)
			continue;
		buf_addc(&b, rows->items[i]->short_name);
		if (opt_takes_argument(rows->items[i]))
			buf_addc(&b, ':');
	}
	return buf_take(&b);
}

static const struct opt *
find_row(const struct rows *rows, int c)
{
	if (c >= LONG_BASE)
		return rows->items[c - LONG_BASE];
	for (size_t i = 0; i < rows->count; i++)
		if (c != 0 && rows->items[i]->short_name == c)
			return rows->items[i];
	return NULL;
}

/* o: the option that word abbreviates, or NULL. */
static int
unknown_option(const struct rows *rows, const char *word, const struct opt *o,
    struct err *err)
{
	struct span name = span_make(word, strcspn(word, "="));
	struct nearest near;

	nearest_init(&near, span_skip(name, 2));
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i]->help != NULL)
			nearest_offer(&near, span_str(rows->items[i]->name), 0);
	if (o != NULL)
		near.name = span_str(o->name);
	if (near.name.n > 0)
		return err_set(err, ERR_PERMANENT,
		    "unknown option %.*s (did you mean --%.*s?)",
		    SPAN_ARG(name), SPAN_ARG(near.name));
	return err_set(err, ERR_PERMANENT, "unknown option %.*s (see --help)",
	    SPAN_ARG(name));
}

static int
bad_option(const struct rows *rows, int c, const char *word, struct err *err)
{
	const struct opt *o = find_row(rows, optopt);

	if (c == ':')
		return err_set(
		    err, ERR_PERMANENT, "option --%s needs a value", o->name);
	if (o != NULL)
		return err_set(
		    err, ERR_PERMANENT, "option --%s takes no value", o->name);
	if (optopt != 0)
		return err_set(err, ERR_PERMANENT,
		    "unknown option -%c (see --help)", optopt);
	return unknown_option(rows, word, NULL, err);
}

/* getopt_long takes "--kube=x" for "--kubeconfig=x"; we do not. */
static bool
abbreviated(const struct opt *o, const char *word)
{
	return strncmp(word, "--", 2) == 0 &&
	    strcspn(word + 2, "=") != strlen(o->name);
}

/* Prints what the row says. arg: that of --completion, or NULL. */
static enum opt_result
run_builtin(const struct opt_tool *tool, const struct rows *rows,
    const struct opt *o, const char *arg, struct err *err)
{
	size_t what = 0, first = rows->count - (COUNT(builtins) - 1);
	int shell = COMPLETION_BASH;

	while (rows->items[first + what] != o)
		what++;
	if (arg != NULL && choose(o, arg, &shell, err) != 0)
		return OPT_BAD;
	return print(
	    tool, rows, (enum builtin)what, (enum completion_shell)shell, err);
}

static enum opt_result
parse_rows(const struct opt_tool *tool, const struct rows *rows, int argc,
    char **argv, struct err *err)
{
	struct option *longs = long_options(rows);
	char *shorts = short_options(rows);
	enum opt_result result = OPT_RUN;
	int c;

	opterr = 0;
	optind = 0; /* glibc: start again, with permutation */
	while (result == OPT_RUN) {
		const struct opt *o;
		int index = -1;
		const char *word;

		c = getopt_long(argc, argv, shorts, longs, &index);
		if (c == -1)
			break;
		o = find_row(rows, c);
		word = argv[optind - 1];
		/* A separate value has moved optind past the option. */
		if (index >= 0 && optarg == word)
			word = argv[optind - 2];
		if (c == '?' || c == ':')
			bad_option(rows, c, word, err);
		else if (index >= 0 && abbreviated(o, word))
			unknown_option(rows, word, o, err);
		else if (o->value == NULL) {
			result = run_builtin(tool, rows, o, optarg, err);
			continue;
		} else if (set_value(o, optarg, err) == 0)
			continue;
		result = OPT_BAD;
	}
	free(longs);
	free(shorts);
	return result;
}

/* A tool that is called "shadow-kwatch" logs under that name. */
static const char *
log_name(const struct opt_tool *tool, const char *called)
{
	const char *slash = strrchr(called, '/');
	const char *name = slash != NULL ? slash + 1 : called;
	size_t n = strlen(name), own = strlen(tool->name);
	bool longer = n > own + 1 && name[n - own - 1] == '-' &&
	    strcmp(name + n - own, tool->name) == 0;

	return longer ? name : tool->name;
}

enum opt_result
opt_parse(const struct opt_tool *tool, int argc, char **argv, int *first,
    struct err *err)
{
	struct rows rows = {NULL, 0, NULL};
	struct buf words = BUF_INIT;
	enum opt_result result;
	enum log_level level;
	const char *name = log_name(tool, argc > 0 ? argv[0] : "");

	rows_add(&rows, tool->table);
	rows_add(&rows, opt_log_table);
	rows_add(&rows, builtins);
	/* Needed also for the messages about bad options. */
	log_init(name, LOG_TEXT, LOG_INFO);
	if (argc > 0 && complete_words(&rows, argc, argv, &words)) {
		free(rows.items);
		return write_out(&words, err);
	}
	result = parse_rows(tool, &rows, argc, argv, err);
	*first = optind;
	level = log_opts.verbose ? LOG_DEBUG : (enum log_level)log_opts.level;
	log_init(name, (enum log_format)log_opts.format, level);
	log_times(log_opts.time || level == LOG_DEBUG);
	free(rows.items);
	return result;
}

int
opt_check_rules(const struct opt_rule *rules, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct opt_rule *r = &rules[i];

		if (!r->given || r->other_given == (r->relation == OPT_NEEDS))
			continue;
		return err_set(err, ERR_PERMANENT,
		    r->relation == OPT_NEEDS
			? "option --%s needs --%s"
			: "options --%s and --%s exclude each other",
		    r->name, r->other);
	}
	return 0;
}

int
opt_check_fd(const char *name, long fd, struct err *err)
{
	if (fd < 0 || (fd <= INT_MAX && fcntl((int)fd, F_GETFD) >= 0))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "option --%s: descriptor %ld is not open", name, fd);
}

static void
pass_one(const struct opt *o, const char *value, struct opt_list *args)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "--%s", o->name);
	if (value != NULL)
		buf_addf(&b, "=%s", value);
	args->items = mem_grow(args->items, args->count, sizeof(*args->items));
	args->items[args->count++] = buf_take(&b);
}

void
opt_pass(const struct opt *table, struct opt_list *args)
{
	for (const struct opt *o = table; o->type != OPT_NONE; o++) {
		if (o->type == OPT_TABLE)
			opt_pass(o->value, args);
		else if (o->help == NULL)
			continue; /* handed on under its new name */
		else if (o->type == OPT_FLAG && *(bool *)o->value)
			pass_one(o, NULL, args);
		else if (o->type == OPT_STRING &&
		    *(const char **)o->value != NULL)
			pass_one(o, *(const char **)o->value, args);
		else if (o->type == OPT_CHOICE)
			pass_one(o, o->choices[*(int *)o->value], args);
	}
}

int
opt_begin(const struct opt_tool *tool, int argc, char **argv, int *first)
{
	struct err err = ERR_INIT;

	switch (opt_parse(tool, argc, argv, first, &err)) {
	case OPT_EXIT_0:
		return 0;
	case OPT_BAD:
		return opt_fatal(&err);
	case OPT_RUN:
		break;
	}
	return -1;
}

int
opt_fatal(const struct err *err)
{
	log_fatal("%s", err->message);
	return err_exit_code(err);
}

int
opt_main(const struct opt_tool *tool, int argc, char **argv, opt_run_fn *run)
{
	struct err err = ERR_INIT;
	int first, code;

	harden_process();
	code = opt_begin(tool, argc, argv, &first);
	if (code >= 0)
		return code;
	signal(SIGPIPE, SIG_IGN);
	code = run(argc - first, argv + first, &err);
	return code >= 0 ? code : opt_fatal(&err);
}
