/*
 * completion: the rules by which a shell completes a tool's options, made from
 * the table of opt.h: names with their --help text, the words of a choice,
 * files and folders where --help calls the argument FILE or DIR. Operands are
 * completed as files, but commands, and what the tool itself completes.
 *
 * bash is in bash(1), "Programmable Completion"; zsh in zshcompsys(1),
 * _arguments; fish in complete(1).
 */
#ifndef COMPLETION_H
#define COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "process/opt.h"

enum completion_shell { COMPLETION_BASH, COMPLETION_ZSH, COMPLETION_FISH };
/* The names of the shells, NULL-terminated. */
extern const char *const completion_shells[];

/* The rows have no OPT_TABLE. A choice without a value is one whose argument may be
 * left out. Descriptors (--report-fd) are for programs, and are left out. asks:
 * `TOOL --complete` says what operands may be (opt.h). Appends to b. */
void completion_add(struct buf *b, enum completion_shell shell,
    const struct opt_tool *tool, bool asks, const struct opt *const *rows,
    size_t count);
/* Appends the options that begin like the word, a line each. */
void completion_add_options(struct buf *b, const char *word,
    const struct opt *const *rows, size_t count);

#endif
