/*
 * edited: records of plays, from a file, changed by a jq program: each test says
 * only what is different in its record.
 */
#ifndef EDITED_H
#define EDITED_H

#include <stdio.h>
#include <stdlib.h>
#include <jq.h>

#include "base/buf.h"
#include "json/jvtext.h"
#include "libjq/jqcompile.h"
#include "oracle/oracle.h"

#define RECORDS "t/unit/ktorture/oracle/"

/* For all programs. */
static const char edited_library[] =
    /* whether a line is a change of such an object */
    "def of($kind): .change != null and .object.kind == $kind;"
    "def last_of($kind): [.[] | select(of($kind))][-1];"
    /* new lines before the silence at the end, behind the last or ahead of
     * the first of the lines for which f is true */
    "def places(f): [range(length) as $i | select(.[$i] | f) | $i];"
    "def behind(f; $new): places(f)[-1] as $i"
    "  | .[:$i + 1] + $new + .[$i + 1:];"
    "def ahead(f; $new): places(f)[0] as $i | .[:$i] + $new + .[$i:];"
    "def at_end($new): ahead(.do.do == \"silence\"; $new);"
    "def each(f; g): map(if f then g else . end);"
    "def log($line): {log: $line, stage: \"kapply\"};";

/* The lines of a file, owned. */
__attribute__((unused)) static jv
record_of(const char *name)
{
	struct buf path = BUF_INIT;
	jv lines = jv_array();
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	FILE *f;

	buf_addf(&path, RECORDS "%s.jsonl", name);
	f = fopen(buf_str(&path), "r");
	if (f == NULL)
		perror(buf_str(&path)), exit(1);
	while ((n = getline(&line, &size, f)) > 0) {
		jv value = jvtext_parse(span_make(line, (size_t)n), NULL);

		if (!jv_is_valid(value))
			printf("Bail out! bad line in %s\n", name), exit(1);
		lines = jv_array_append(lines, value);
	}
	fclose(f);
	free(line);
	buf_release(&path);
	return lines;
}

static void
edited_drop(void *arg, jv message)
{
	(void)arg;
	jv_free(message);
}

static void
edited_error(void *arg, jv message)
{
	jv text = jq_format_error(message);

	(void)arg;
	printf("# %s\n", jv_string_value(text));
	jv_free(text);
}

static jv
edited_input(jq_state *jq, void *arg)
{
	(void)jq;
	(void)arg;
	return jv_invalid();
}

/* The value that the program makes of it, which is taken. */
__attribute__((unused)) static jv
edited(jv value, const char *program)
{
	struct jqcompile_callbacks calls = {
	    edited_drop, edited_input, edited_error, NULL};
	jq_state *jq = jqcompile_state(&calls);
	struct buf text = BUF_INIT;
	jv result;

	buf_adds(&text, edited_library);
	buf_adds(&text, program);
	if (!jqcompile(jq, buf_str(&text)))
		printf("Bail out! %s\n", program), exit(1);
	jq_start(jq, value, 0);
	result = jq_next(jq);
	if (!jv_is_valid(result))
		printf("Bail out! nothing of %s\n", program), exit(1);
	jq_teardown(&jq);
	buf_release(&text);
	return result;
}

/* Of the two clean records, changed by the programs. Rules from JSON; NULL:
 * none. */
static struct oracle *
oracle_of_edited(const char *operator_, const char *clean_program,
    const char *other_program, const char *rules)
{
	char clean[80], other[80];
	struct err err = ERR_INIT;
	struct oracle *o;

	snprintf(clean, sizeof(clean), "%s-1", operator_);
	snprintf(other, sizeof(other), "%s-2", operator_);
	o = oracle_new(edited(record_of(clean), clean_program),
	    edited(record_of(other), other_program),
	    rules != NULL ? jv_parse(rules) : jv_array(), &err);
	if (o == NULL)
		printf("# %s\n", err.message);
	return o;
}

__attribute__((unused)) static struct oracle *
oracle_of(const char *operator_, const char *rules)
{
	return oracle_of_edited(operator_, ".", ".", rules);
}

/* The words of an oracle about the record that the program makes of the clean one:
 * "", or "invariant: object: text; ...", sorted. */
__attribute__((unused)) static const char *
said_with(struct oracle *o, const char *operator_, const char *program)
{
	static struct buf said;
	struct buf line = BUF_INIT;
	char clean[80];
	jv found, lines = jv_array(), text;

	snprintf(clean, sizeof(clean), "%s-1", operator_);
	found = oracle_check(o, edited(record_of(clean), program));
	for (int i = 0, n = jv_array_length(jv_copy(found)); i < n; i++) {
		jv v = jv_array_get(jv_copy(found), i);

		buf_reset(&line);
		oracle_add_line(&line, v);
		lines = jv_array_append(lines, jv_string(buf_str(&line)));
		jv_free(v);
	}
	text = edited(lines, "sort | join(\"; \")");
	buf_reset(&said);
	buf_adds(&said, jv_string_value(text));
	jv_free(text);
	jv_free(found);
	buf_release(&line);
	return buf_str(&said);
}

__attribute__((unused)) static const char *
said(const char *operator_, const char *program)
{
	struct oracle *o = oracle_of(operator_, NULL);
	const char *text = said_with(o, operator_, program);

	oracle_free(o);
	return text;
}

/* ... by rules, as JSON. */
__attribute__((unused)) static const char *
said_by_rules(const char *operator_, const char *rules, const char *program)
{
	struct oracle *o = oracle_of(operator_, rules);
	const char *text = said_with(o, operator_, program);

	oracle_free(o);
	return text;
}

#endif
