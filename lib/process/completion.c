#include "process/completion.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};

enum what { WHAT_TEXT, WHAT_FILE, WHAT_FOLDER };

/* By the name of the argument in --help. */
static enum what
what_is(const struct opt *o)
{
	static const struct {
		char word[8];
		enum what what;
	} words[] = {{"FILE", WHAT_FILE}, {"WATCHES", WHAT_FILE},
	    {"DIR", WHAT_FOLDER}, {"FOLDER", WHAT_FOLDER}};

	for (size_t i = 0; o->arg != NULL && i < COUNT(words); i++)
		if (strcmp(o->arg, words[i].word) == 0)
			return words[i].what;
	return WHAT_TEXT;
}

/* Descriptors that kpipe hands on. */
static bool
is_for_programs(const struct opt *o)
{
	return span_ends(span_str(o->name), "-fd");
}

/* A tool, as its rules see it. */
struct rules {
	const char *tool;
	const struct opt **rows; /* owned */
	size_t count;
	struct buf commands; /* words; empty: there are none */
	bool asks;	     /* `TOOL --complete` completes operands */
};

/* The words at the begin of indented lines. */
static void
find_commands(struct buf *b, struct span summary)
{
	while (summary.p != NULL) {
		struct span line = span_cut(&summary, '\n');

		if (!span_take(&line, "  ") || line.n == 0 ||
		    !span_is_alnum(*line.p))
			continue;
		buf_adds(b, b->len > 0 ? " " : "");
		buf_addspan(b, span_cut(&line, ' '));
	}
}

/* ---- bash ---- */

/* Operands, as the last case of $cur. A name may be anything: no word list, which
 * bash would expand. */
static void
add_bash_operands(struct buf *b, const struct rules *r)
{
	if (r->asks) {
		buf_addf(b,
		    "\t*) mapfile -t COMPREPLY < <(%s --complete "
		    "\"${COMP_WORDS[@]:COMP_CWORD+1}\" -- "
		    "\"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null);;\n",
		    r->tool);
	} else if (r->commands.len > 0) {
		buf_adds(b,
		    "\t*)\n"
		    "\t\tfor prev in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
		    "\t\t\t[[ $prev = -* ]] || return\n"
		    "\t\tdone\n"
		    "\t\tCOMPREPLY=($(compgen -W '");
		buf_addspan(b, buf_span(&r->commands));
		buf_adds(b, "' -- \"$cur\"));;\n");
	}
}

/* The words of each choice, by option; everything else is a file name. */
static void
add_bash(struct buf *b, const struct rules *r)
{
	buf_addf(b,
	    "_%s() {\n"
	    "\tlocal cur=${COMP_WORDS[COMP_CWORD]}"
	    " prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	    "\tif [ \"$cur\" = = ]; then\n"
	    "\t\tcur=\n"
	    "\telif [ \"$prev\" = = ]; then\n"
	    "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	    "\tfi\n"
	    "\tcase $prev in\n",
	    r->tool);
	for (size_t i = 0; i < r->count; i++) {
		if (r->rows[i]->type != OPT_CHOICE ||
		    opt_stands_alone(r->rows[i]))
			continue;
		buf_addf(
		    b, "\t--%s) COMPREPLY=($(compgen -W '", r->rows[i]->name);
		opt_add_choices(b, r->rows[i], " ");
		buf_adds(b, "' -- \"$cur\")); return;;\n");
	}
	buf_adds(b, "\tesac\n\tcase $cur in\n\t-*) COMPREPLY=($(compgen -W '");
	for (size_t i = 0; i < r->count; i++)
		buf_addf(b, "%s--%s%s", i > 0 ? " " : "", r->rows[i]->name,
		    opt_takes_argument(r->rows[i]) &&
			    !opt_stands_alone(r->rows[i])
			? "="
			: "");
	buf_adds(b,
	    "' -- \"$cur\")); [[ ${COMPREPLY-} = *= ]] && compopt -o "
	    "nospace;;\n");
	add_bash_operands(b, r);
	buf_addf(
	    b, "\tesac\n}\ncomplete -o default -F _%s %s\n", r->tool, r->tool);
}

/* ---- zsh ---- */

/* In single quotes; before a character of `special` goes a backslash. */
static void
add_zsh_text(struct buf *b, const char *text, const char *special)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			buf_adds(b, "'\\'");
		else if (strchr(special, *text) != NULL)
			buf_addc(b, '\\');
		buf_addc(b, *text);
	}
}

/* ":message:action" */
static void
add_zsh_argument(struct buf *b, const struct opt *o)
{
	static const char *const actions[] = {[WHAT_TEXT] = " ",
	    [WHAT_FILE] = "_files",
	    [WHAT_FOLDER] = "_files -/"};

	if (!opt_takes_argument(o))
		return;
	buf_adds(b, opt_stands_alone(o) ? "::" : ":");
	add_zsh_text(b, o->arg != NULL ? o->arg : "VALUE", "\\:");
	buf_addc(b, ':');
	if (o->type == OPT_CHOICE) {
		buf_addc(b, '(');
		opt_add_choices(b, o, " ");
		buf_addc(b, ')');
	} else {
		buf_adds(b, actions[what_is(o)]);
	}
}

static void
add_zsh_option(struct buf *b, const struct opt *o)
{
	const char *end = "";

	if (opt_takes_argument(o))
		end = opt_stands_alone(o) ? "=-" : "=";
	buf_adds(b, " \\\n\t\t");
	if (o->type == OPT_LIST)
		buf_adds(b, "'*'");
	else if (o->short_name != 0)
		buf_addf(b, "'(-%c --%s)'", o->short_name, o->name);
	if (o->short_name != 0)
		buf_addf(b, "{-%c%s,--%s%s}'", o->short_name,
		    opt_takes_argument(o) ? "+" : "", o->name, end);
	else
		buf_addf(b, "'--%s%s", o->name, end);
	buf_addc(b, '[');
	add_zsh_text(b, o->help, "\\[]");
	buf_addc(b, ']');
	add_zsh_argument(b, o);
	buf_addc(b, '\'');
}

/* The script works from a folder of $fpath, and when it is evaluated. */
static void
add_zsh(struct buf *b, const struct rules *r)
{
	buf_addf(b, "#compdef %s\n", r->tool);
	if (r->asks)
		buf_addf(b,
		    "_%s_operands() {\n"
		    "\tlocal -a found\n"
		    "\tfound=(${(f)\"$(%s --complete "
		    "\"${(@)words[CURRENT+1,-1]}\" -- "
		    "\"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
		    "\tif (( $#found )); then compadd -a found; "
		    "else _files; fi\n"
		    "}\n",
		    r->tool, r->tool);
	buf_addf(b, "_%s() {\n\t_arguments -s -S", r->tool);
	for (size_t i = 0; i < r->count; i++)
		add_zsh_option(b, r->rows[i]);
	if (r->commands.len > 0) {
		buf_adds(b, " \\\n\t\t'1:COMMAND:(");
		buf_addspan(b, buf_span(&r->commands));
		buf_adds(b, ")'");
	}
	if (r->asks)
		buf_addf(b, " \\\n\t\t'*:FILE:_%s_operands'\n}\n", r->tool);
	else
		buf_adds(b, " \\\n\t\t'*:FILE:_files'\n}\n");
	buf_addf(b,
	    "if [ \"$funcstack[1]\" = _%s ]; then\n"
	    "\t_%s \"$@\"\n"
	    "else\n"
	    "\tcompdef _%s %s\n"
	    "fi\n",
	    r->tool, r->tool, r->tool, r->tool);
}

/* ---- fish ---- */

static void
add_fish_text(struct buf *b, const char *text)
{
	buf_addc(b, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			buf_addc(b, '\\');
		buf_addc(b, *text);
	}
	buf_addc(b, '\'');
}

static void
add_fish_argument(struct buf *b, const struct opt *o)
{
	static const char *const flags[] = {[WHAT_TEXT] = " -x",
	    [WHAT_FILE] = " -r -F",
	    [WHAT_FOLDER] = " -x -a '(__fish_complete_directories)'"};

	if (o->type == OPT_CHOICE) {
		buf_adds(b, opt_stands_alone(o) ? " -f -a '" : " -x -a '");
		opt_add_choices(b, o, " ");
		buf_addc(b, '\'');
	} else if (opt_takes_argument(o)) {
		buf_adds(b, flags[what_is(o)]);
	}
}

static void
add_fish(struct buf *b, const struct rules *r)
{
	if (r->commands.len > 0) {
		buf_addf(b, "complete -c %s -n __fish_use_subcommand -f -a '",
		    r->tool);
		buf_addspan(b, buf_span(&r->commands));
		buf_adds(b, "'\n");
	}
	if (r->asks)
		buf_addf(b,
		    "complete -c %s -a '(set -l now (commandline -ct); "
		    "%s --complete -- (commandline -opc)[2..-1] \"$now\" "
		    "2>/dev/null)'\n",
		    r->tool, r->tool);
	for (size_t i = 0; i < r->count; i++) {
		buf_addf(b, "complete -c %s", r->tool);
		if (r->rows[i]->short_name != 0)
			buf_addf(b, " -s %c", r->rows[i]->short_name);
		buf_addf(b, " -l %s", r->rows[i]->name);
		add_fish_argument(b, r->rows[i]);
		buf_adds(b, " -d ");
		add_fish_text(b, r->rows[i]->help);
		buf_addc(b, '\n');
	}
}

void
completion_add(struct buf *b, enum completion_shell shell,
    const struct opt_tool *tool, bool asks, const struct opt *const *rows,
    size_t count)
{
	static void (*const shells[])(struct buf *, const struct rules *) = {
	    [COMPLETION_BASH] = add_bash,
	    [COMPLETION_ZSH] = add_zsh,
	    [COMPLETION_FISH] = add_fish};
	struct rules r = {.tool = tool->name,
	    .rows = mem_zalloc(count * sizeof(*r.rows)),
	    .asks = asks};

	for (size_t i = 0; i < count; i++)
		if (!is_for_programs(rows[i]))
			r.rows[r.count++] = rows[i];
	find_commands(&r.commands, span_str(tool->summary));
	shells[shell](b, &r);
	buf_release(&r.commands);
	free(r.rows);
}

/* ---- words ---- */

void
completion_add_options(struct buf *b, const char *word,
    const struct opt *const *rows, size_t count)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < count; i++) {
		size_t at = b->len;

		if (is_for_programs(rows[i]))
			continue;
		buf_addf(b, "--%s%s\n", rows[i]->name,
		    opt_takes_argument(rows[i]) && !opt_stands_alone(rows[i])
			? "="
			: "");
		if (b->len - at <= n || memcmp(b->data + at, word, n) != 0)
			buf_truncate(b, at);
	}
}
