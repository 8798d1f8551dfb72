/*
 * jq: the program of that name, of libjq 1.6, which reads only those of jq's
 * own definitions that its program needs: jq 1.6 compiles all of them at each
 * start, for 30 ms. What is not here, and what it refuses, is left to the next
 * jq in PATH, so messages about options and programs are jq's own.
 */
// needs t/helpers/real/realone.c
#include <ctype.h>
#include <errno.h>
#include <jq.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "libjq/jqcompile.h"
#include "real/realone.h"

/* Options without a value. */
enum {
	SLURP = 1,
	RAW = 2,
	COMPACT = 4,
	ASCII = 8,
	SORTED = 16,
	RAW_INPUT = 32,
	NO_INPUT = 64,
	JOINED = 128,
	STATUS = 256,
	UNBUFFERED = 512,
	TABS = 1024,
	TEXTS = 2048,
	VALUES = 4096
};

enum {
	NO_OUTPUT = 14, /* 4 with -e, else 0 */
	FALSE_OUTPUT = 11
};

static const struct {
	char letter;
	const char *name;
	int flag;
} options[] = {{'s', "slurp", SLURP}, {'r', "raw-output", RAW},
    {'c', "compact-output", COMPACT}, {'a', "ascii-output", ASCII},
    {'S', "sort-keys", SORTED}, {'R', "raw-input", RAW_INPUT},
    {'n', "null-input", NO_INPUT}, {'j', "join-output", JOINED},
    {'e', "exit-status", STATUS}, {0, "unbuffered", UNBUFFERED},
    {0, "tab", TABS}, {0, "args", TEXTS}, {0, "jsonargs", VALUES}};

struct run {
	char **argv;
	const char *program;
	int flags;
	int format; /* JV_PRINT_... */
	int end;    /* of argv: no option follows, behind "--" */
	int files;  /* of input */
	int named;  /* files that have a variable */
	jq_util_input_state *input;
	jv variables, texts; /* by name; in their order */
	jq_state *jq;
	bool exact; /* halted: the exit code is the program's */
};

/* ---- the real one ---- */

/* A program with these reads files, or lists all functions of jq. */
static bool
is_for_real(const char *program)
{
	static const char *const words[] = {"import", "include", "modulemeta",
	    "get_search_list", "builtins", "#!"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (strstr(program, words[i]) != NULL)
			return true;
	return false;
}

/* jq reads ~/.jq, if that is a file, and has colors for a terminal. */
static bool
is_other_place(void)
{
	char path[PATH_MAX];
	const char *home = getenv("HOME");

	if (strcmp(KPIPE_LIBJQ, "1.6") != 0 || getenv("JQ_COLORS") != NULL ||
	    isatty(STDOUT_FILENO))
		return true;
	snprintf(path, sizeof(path), "%s/.jq", home ? home : "");
	return access(path, F_OK) == 0;
}

/* ---- arguments ---- */

static void
set_flag(struct run *r, int flag)
{
	switch (flag) {
	case COMPACT:
		r->format &= ~(JV_PRINT_TAB | JV_PRINT_INDENT_FLAGS(7));
		break;
	case TABS:
		r->format &= ~JV_PRINT_INDENT_FLAGS(7);
		r->format |= JV_PRINT_TAB | JV_PRINT_PRETTY;
		break;
	case SORTED:
		r->format |= JV_PRINT_SORTED;
		break;
	case ASCII:
		r->format |= JV_PRINT_ASCII;
		break;
	case JOINED:
		r->flags |= RAW;
		break;
	case TEXTS:
	case VALUES:
		r->flags &= ~(TEXTS | VALUES);
		break;
	default:
		break;
	}
	r->flags |= flag;
}

/* -rc: each letter once, as jq wants it. */
static bool
set_letters(struct run *r, const char *letters)
{
	for (const char *p = letters; *p != '\0'; p++) {
		size_t i = 0;

		while (i < COUNT(options) && options[i].letter != *p)
			i++;
		if (i == COUNT(options) || strchr(p + 1, *p) != NULL)
			return false;
		set_flag(r, options[i].flag);
	}
	return true;
}

static bool
set_indent(struct run *r, const char *text)
{
	if (text == NULL || text[0] < '0' || text[0] > '7' || text[1] != '\0')
		return false;
	r->format &= ~(JV_PRINT_TAB | JV_PRINT_INDENT_FLAGS(7));
	r->format |= JV_PRINT_INDENT_FLAGS(text[0] - '0');
	return true;
}

/* The value of --arg and such; what a file has is read at last (read_named). */
static bool
set_variable(struct run *r, const char *how, const char *name, const char *text)
{
	jv key, value = jv_null();

	if (name == NULL || text == NULL)
		return false;
	key = jv_string(name);
	if (strcmp(how, "arg") == 0)
		value = jv_string(text);
	else if (strcmp(how, "argjson") == 0)
		value = jv_parse(text);
	else
		r->named++;
	if (!jv_is_valid(value))
		return false;
	if (!jv_object_has(jv_copy(r->variables), jv_copy(key)))
		r->variables = jv_object_set(r->variables, key, value);
	return true;
}

static bool
is_variable(const char *name)
{
	return strcmp(name, "arg") == 0 || strcmp(name, "argjson") == 0 ||
	    strcmp(name, "slurpfile") == 0 || strcmp(name, "rawfile") == 0;
}

/* How many arguments the option at argv[i] takes with its own, 0: it is not
 * here. */
static int
set_option(struct run *r, int i)
{
	char **a = r->argv + i;
	const char *name = a[0] + 2;

	if (a[0][1] != '-')
		return set_letters(r, a[0] + 1) ? 1 : 0;
	if (is_variable(name))
		return set_variable(r, name, a[1], a[1] ? a[2] : NULL) ? 3 : 0;
	if (strcmp(name, "indent") == 0)
		return set_indent(r, a[1]) ? 2 : 0;
	for (size_t k = 0; k < COUNT(options); k++)
		if (strcmp(name, options[k].name) == 0) {
			set_flag(r, options[k].flag);
			return 1;
		}
	return 0;
}

static bool
add_argument(struct run *r, const char *text)
{
	jv value;

	if (r->program == NULL) {
		r->program = text;
	} else if (r->flags & (TEXTS | VALUES)) {
		value = r->flags & TEXTS ? jv_string(text) : jv_parse(text);
		if (!jv_is_valid(value))
			return false;
		r->texts = jv_array_append(r->texts, value);
	} else {
		jq_util_input_add_input(r->input, text);
		r->files++;
	}
	return true;
}

static bool
read_arguments(struct run *r, int argc)
{
	r->end = argc;
	for (int i = 1; i < argc;) {
		const char *a = r->argv[i];
		int n = 1;

		if (i > r->end || a[0] != '-' ||
		    (a[1] != '-' && !isalpha((unsigned char)a[1]))) {
			if (!add_argument(r, a))
				return false;
		} else if (strcmp(a, "--") == 0) {
			r->end = i;
			if (r->program == NULL)
				return false;
		} else if ((n = set_option(r, i)) == 0) {
			return false;
		}
		i += n;
	}
	if (r->program == NULL)
		r->program = ".";
	return !is_for_real(r->program);
}

/* ---- the program ---- */

static void
say_nothing(void *arg, jv message)
{
	(void)arg;
	jv_free(message);
}

static bool
compile(struct run *r)
{
	jv all = jv_object_set(jv_object_set(jv_object(),
				   jv_string("positional"), jv_copy(r->texts)),
	    jv_string("named"), jv_copy(r->variables));

	return jqcompile_args(r->jq, r->program,
		   jv_object_set(
		       jv_copy(r->variables), jv_string("ARGS"), all)) != 0;
}

static void
on_debug(void *arg, jv value)
{
	const struct run *r = arg;
	jv line = jv_array_append(
	    jv_array_append(jv_array(), jv_string("DEBUG:")), value);

	jv_dumpf(line, stderr, r->format & ~JV_PRINT_PRETTY);
	fputc('\n', stderr);
}

/* The files of variables, in the place of null. They may be pipes: what is read
 * of them is lost to the real one, so the program has compiled before. */
static void
read_named(struct run *r)
{
	jv seen = jv_object();

	for (int i = 1; i < r->end; i++) {
		const char *how = r->argv[i] + 2;
		bool raw;
		jv name, value;

		if (strncmp(r->argv[i], "--", 2) != 0)
			continue;
		if (strcmp(how, "indent") == 0)
			i++;
		if (!is_variable(how))
			continue;
		raw = strcmp(how, "rawfile") == 0;
		name = jv_string(r->argv[i + 1]);
		i += 2;
		if (jv_object_has(jv_copy(seen), jv_copy(name)))
			continue;
		seen = jv_object_set(seen, jv_copy(name), jv_true());
		if (!raw && strcmp(how, "slurpfile") != 0)
			continue;
		value = jv_load_file(r->argv[i], raw);
		if (!jv_is_valid(value)) {
			fprintf(stderr, "%s: Bad JSON in --%s %s %s: %s\n",
			    r->argv[0], how, r->argv[i - 1], r->argv[i],
			    jv_string_value(jv_invalid_get_msg(value)));
			exit(2);
		}
		r->variables = jv_object_set(r->variables, name, value);
	}
	jv_free(seen);
}

/* ---- results ---- */

static int
print(const struct run *r, jv result)
{
	jv_kind kind = jv_get_kind(result);

	if (!(r->flags & RAW) || kind != JV_KIND_STRING)
		jv_dump(result, r->format);
	else if (r->flags & ASCII)
		jv_dumpf(result, stdout, JV_PRINT_ASCII);
	else {
		fwrite(jv_string_value(result), 1,
		    (size_t)jv_string_length_bytes(jv_copy(result)), stdout);
		jv_free(result);
	}
	if (!(r->flags & JOINED))
		fputc('\n', stdout);
	if (r->flags & UNBUFFERED)
		fflush(stdout);
	return kind == JV_KIND_FALSE || kind == JV_KIND_NULL ? FALSE_OUTPUT : 0;
}

/* The program has ended itself, by `halt` or `halt_error`. */
static int
say_halt(struct run *r)
{
	jv code = jq_get_exit_code(r->jq), text = jq_get_error_message(r->jq);

	r->exact = true;
	if (jv_get_kind(text) == JV_KIND_STRING)
		fprintf(stderr, "%s", jv_string_value(text));
	else if (jv_is_valid(text) && jv_get_kind(text) != JV_KIND_NULL)
		fprintf(
		    stderr, "%s\n", jv_string_value(jv_dump_string(text, 0)));
	if (!jv_is_valid(code))
		return 0;
	return jv_get_kind(code) == JV_KIND_NUMBER ? (int)jv_number_value(code)
						   : 5;
}

static int
say_error(struct run *r, jv text)
{
	jv at = jq_util_input_get_position(r->jq);
	const char *what = "";

	if (jv_get_kind(text) != JV_KIND_STRING) {
		what = " (not a string)";
		text = jv_dump_string(text, 0);
	}
	fprintf(stderr, "jq: error (at %s)%s: %s\n", jv_string_value(at), what,
	    jv_string_value(text));
	jv_free(at);
	jv_free(text);
	return 5;
}

static int
run_with(struct run *r, jv input)
{
	int code = NO_OUTPUT;
	jv result;

	jq_start(r->jq, input, 0);
	while (jv_is_valid(result = jq_next(r->jq)))
		code = print(r, result);
	if (jq_halted(r->jq))
		code = say_halt(r);
	else if (jv_invalid_has_msg(jv_copy(result)))
		code = say_error(r, jv_invalid_get_msg(jv_copy(result)));
	jv_free(result);
	return code;
}

static int
run_with_each(struct run *r)
{
	int code = 0;

	while (jq_util_input_errors(r->input) == 0) {
		jv value = jq_util_input_next_input(r->input);

		if (jv_is_valid(value)) {
			code = run_with(r, value);
			continue;
		}
		if (jv_invalid_has_msg(jv_copy(value))) {
			fprintf(stderr, "parse error: %s\n",
			    jv_string_value(jv_invalid_get_msg(value)));
			code = 4;
		}
		break;
	}
	return code;
}

static int
run(struct run *r)
{
	jv_parser *parser = r->flags & RAW_INPUT ? NULL : jv_parser_new(0);
	int code;

	jq_util_input_set_parser(r->input, parser, r->flags & SLURP ? 1 : 0);
	if (r->files == 0)
		jq_util_input_add_input(r->input, "-");
	code = r->flags & NO_INPUT ? run_with(r, jv_null()) : run_with_each(r);
	if (jq_util_input_errors(r->input) != 0)
		code = 2;
	if (ferror(stdout) | fclose(stdout)) {
		fprintf(stderr, "Error: writing output failed: %s\n",
		    strerror(errno));
		code = 2;
	}
	if (code >= 10 && (r->flags & STATUS))
		return code - 10;
	return code >= 10 && !r->exact ? 0 : code;
}

/* A state that reaches nothing outside, as one of lib/libjq/jqcompile.h, but for
 * its input. */
static jq_state *
new_state(struct run *r)
{
	jq_state *jq = jq_init();

	if (jq == NULL)
		exit(2);
	jq_set_error_cb(jq, say_nothing, NULL);
	jq_set_debug_cb(jq, on_debug, r);
	jq_set_input_cb(jq, jq_util_input_next_input_cb, r->input);
	jq_set_attr(jq, jv_string("JQ_ORIGIN"), jv_string("/dev/null"));
	jq_set_attr(jq, jv_string("PROGRAM_ORIGIN"), jv_string("/dev/null"));
	jq_set_attr(jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
	return jq;
}

int
main(int argc, char **argv)
{
	struct run r = {.argv = argv,
	    .format = JV_PRINT_INDENT_FLAGS(2),
	    .input = jq_util_input_init(NULL, NULL),
	    .variables = jv_object(),
	    .texts = jv_array()};

	if (is_other_place() || !read_arguments(&r, argc))
		realone_exec("jq", argv);
	r.jq = new_state(&r);
	if (!compile(&r))
		realone_exec("jq", argv);
	if (r.named > 0) {
		read_named(&r);
		compile(&r);
	}
	/* As jq does; what it complains of while it runs, it says. */
	jq_set_error_cb(r.jq, NULL, NULL);
	return run(&r);
}
