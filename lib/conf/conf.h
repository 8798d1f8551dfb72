/*
 * conf: typed values out of a configuration file's YAML, with errors that
 * name file, line and key. All return 0, or -1 with c->err set
 * (ERR_PERMANENT).
 */
#ifndef CONF_H
#define CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/textlist.h"
#include "conf/yaml.h"

struct conf {
	const char *path; /* borrowed, as are the others */
	struct err *err;
};

/* "FILE:LINE: ...". Always -1. */
int conf_fail(struct conf *c, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ": the variable X is not set", if that is why y is empty or wrong. */
void conf_add_unset(struct buf *out, const struct yaml *y);

/* y is a mapping, called what; its keys are in allowed (ends in NULL) and all
 * different. The message has the nearest of them, or all if they are few. */
int conf_keys(struct conf *c, const struct yaml *y, const char *what,
    const char *const *allowed);

/* A scalar's text, borrowed from y; "" for null. */
int conf_text(
    struct conf *c, const struct yaml *y, const char *key, const char **out);
/* Not empty; *out is owned, what it held before is freed. */
int conf_string(
    struct conf *c, const struct yaml *y, const char *key, char **out);
/* conf_string for a member of y that has to be there. */
int conf_member(
    struct conf *c, const struct yaml *y, const char *key, char **out);
int conf_bool(struct conf *c, const struct yaml *y, const char *key, bool *out);
/* 1 to 999,999,999 */
int conf_count(
    struct conf *c, const struct yaml *y, const char *key, long *out);
int conf_duration(
    struct conf *c, const struct yaml *y, const char *key, uint64_t *ms);
/* A value that is in choices, which ends in NULL; *out is its index. */
int conf_choice(struct conf *c, const struct yaml *y, const char *key,
    const char *const *choices, int *out);
/* The error for a y that is not in choices. Always -1. */
int conf_fail_choice(struct conf *c, const struct yaml *y, const char *key,
    const char *const *choices);
/* Whether y is a list; null is one without items. -1: it is not. */
int conf_check_list(struct conf *c, const struct yaml *y, const char *key);
/* A list of scalars, each split at commas; replaces what out held. */
int conf_list(struct conf *c, const struct yaml *y, const char *key,
    struct textlist *out);

#endif
