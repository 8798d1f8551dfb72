/*
 * natives: functions in C for programs, called by _call("NAME"; ARGUMENT).
 *
 *	sha256   of a string: 64 hex digits
 *	to_yaml  of anything: YAML text (yamltext.h)
 *	random   of [SEED, LENGTH]: a text of the operator's (randomtext.c)
 *	random_for  of [NAME, SEED, LENGTH]: the same, by a name
 *	tojson   of anything: JSON text, keys in their order, all digits
 *	wrong    of a string: fails with that text. An error of the library to
 *		 the program's author, so the place goes before it; error() is
 *		 the author's, or for users.
 *
 * The others are called by definitions of the prelude, because libjq's own
 * functions differ from version to version or end the process: fromjson,
 * tonumber, implode, indices, contains, trim, uri, base64d, and times
 * (dates.c).
 *
 * The library calls from_yaml, and lib/jq/helm.jq go_yaml (helmyaml.c).
 *
 * The library calls cron_next and cron_last (schedules.c), and the same with a
 * time zone, zoned_cron_next and zoned_cron_last, for which program/zones.h
 * reads files; and quantity, quantity_compare and duration (amounts.c).
 *
 * Pure, and strict: anything wrong is an error of the program. Messages hold
 * no values, but those of schedules.c, which quote a schedule or the name of a
 * time zone, and those of wrong.
 */
#ifndef NATIVES_H
#define NATIVES_H

#include <stdbool.h>
#include <jv.h>

#include "base/span.h"
#include "program/program.h"

/* Consumes x; the result, or jv_invalid() with a message. key: for random. */
jv natives_call(struct span name, jv x, const struct random_key *key);
/* The value that error(x) raises: x, but never null, nor a value that looks
 * like an error of jqparse.h. */
jv natives_error_text(jv x);

/* Whether the program's text calls a function that needs program/zones.h. */
bool natives_need_zones(struct span text);

struct native {
	const char *name;
	jv (*function)(jv x); /* consumes x */
};

/* Tables of natives, each ended by a row without a name. */
extern const struct native amounts_natives[], dates_natives[],
    schedules_natives[], helmyaml_natives[];

/* x: [SEED, LENGTH], or [NAME, SEED, LENGTH], consumed; the text, or
 * jv_invalid() with a message. */
jv natives_random(jv x, const struct random_key *key);
jv natives_random_for(jv x, const struct random_key *key);

/* jv_invalid() with a message. Consumes x. */
jv natives_refuse(jv x, const char *message);

#endif
