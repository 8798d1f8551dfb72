/*
 * fuzz-program: the readers in ireconcile of a program's text, of jq's messages
 * and of quantities, on texts that are almost right.
 *
 *	fuzz-program [SECONDS [SEED]]
 *
 * Nothing reads outside the text (run it with ASan); tokens are spans of the
 * text, in order, each inside an earlier bracket; the text for libjq has the
 * same grammar; a shortened message holds no part of a secret; a quantity
 * equals itself.
 */
// needs cmd/ireconcile/language/*.c
// needs cmd/ireconcile/language/jq16/*.c
// needs t/fuzz/fuzz.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "language/edit.h"
#include "language/guards.h"
#include "language/jqparse.h"
#include "language/message.h"
#include "language/sees.h"
#include "language/source.h"
#include "libjq/jqlex.h"
#include "value/quantity.h"

#include "base/mem.h"
#include "json/json.h"

#include "fuzz.h"

static const char secret[] = "hunter2";

static void
check_tokens(struct span text)
{
	struct err err = ERR_INIT;
	const char *at = text.p;
	struct jqlex lex;

	if (jqlex_read(&lex, "x", text, &err) != 0) {
		fuzz_expect(err.message[0] != '\0', "an error says why");
		return;
	}
	for (int i = 0; i < lex.count; i++) {
		const struct jqlex_token *t = &lex.tokens[i];

		fuzz_expect(
		    t->text.p >= at && t->text.p + t->text.n <= text.p + text.n,
		    "tokens follow each other inside the text");
		fuzz_expect(t->inside < i &&
			(t->inside < 0 ||
			    lex.tokens[t->inside].type == JQLEX_OPEN),
		    "a token is inside an earlier bracket");
		jqlex_is_key(&lex, i);
		at = t->text.p + t->text.n;
	}
	jqlex_release(&lex);
}

static int
line_breaks(struct span text)
{
	int n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

/* The text for libjq has the same grammar, line by line. Brackets that are
 * added may nest too deep. */
static void
check_written(struct span text, enum jqparse_what what, long spots)
{
	struct jqparse_as as = {what, JQPARSE_STRANGE, 0, spots, true};
	struct err err = ERR_INIT;
	struct buf out = BUF_INIT;
	struct jqparse parse;
	struct jqlex lex;
	const char *at;
	int before;

	if (jqlex_read(&lex, "x", text, &err) != 0)
		return;
	if (jqparse_read(&parse, &lex, "x", &as, &err) != 0) {
		fuzz_expect(err.message[0] != '\0', "an error says why");
		jqlex_release(&lex);
		return;
	}
	at = edit_write(&parse, &lex, 0, lex.count, text.p, &out);
	before = line_breaks(span_make(text.p, (size_t)(at - text.p)));
	jqparse_release(&parse);
	jqlex_release(&lex);
	fuzz_expect(line_breaks(buf_span(&out)) == before, "lines stay");
	if (jqlex_read(&lex, "x", buf_span(&out), &err) == 0) {
		int rc;

		as.trust = JQPARSE_TRUSTED;
		rc = jqparse_read(&parse, &lex, "x", &as, &err);

		fuzz_expect(rc == 0 || strstr(err.message, "deep") != NULL ||
			strstr(err.message, "taken") != NULL,
		    err.message);
		if (rc == 0)
			jqparse_release(&parse);
		jqlex_release(&lex);
	} else {
		fuzz_expect(strstr(err.message, "deep") != NULL, err.message);
	}
	buf_release(&out);
}

static void
check_source(const char *text)
{
	const struct source_file *file;
	struct err err = ERR_INIT;
	struct source s;
	int line = 0;

	check_written(span_str(text), JQPARSE_FILE, JQPARSE_NO_SPOTS);
	check_written(span_str(text), JQPARSE_EXPRESSION, JQPARSE_NO_SPOTS);
	check_written(span_str(text), JQPARSE_EXPRESSION, 7);
	source_init(&s);
	if (source_add_expression(&s, "x", text, &err) == 0 &&
	    source_compose(&s, &err) == 0) {
		sees_field(&s, "desired", "owned", &file, &line);
		fuzz_expect(
		    source_locate(&s, s.lines - 1, &line) == &s.files[0] &&
			line == s.files[0].lines,
		    "the last line but one is the text's");
	}
	source_release(&s);
}

/* A secret between brackets or quotes, as jq echoes values. */
static void
check_message(struct span text)
{
	struct source none = {.text = BUF_INIT};
	struct buf message = BUF_INIT;
	struct buf out = BUF_INIT;

	buf_addf(&message, "string (\"%s", secret);
	buf_addspan(&message, text);
	buf_addf(&message, "%s\") and object (", secret);
	buf_addspan(&message, text);
	buf_adds(&message, ") cannot be added");
	message_cut(&out, buf_span(&message), &none);
	fuzz_expect(
	    strstr(buf_str(&out), secret) == NULL, "no secret is shown");
	buf_reset(&out);
	message_cut(&out, text, &none);
	fuzz_expect(strstr(buf_str(&out), secret) == NULL, "nor a bare one");
	buf_release(&message);
	buf_release(&out);
}

static void
check_quantity(struct span text)
{
	struct quantity a, b;

	if (quantity_parse(text, &a) != NULL)
		return;
	fuzz_expect(
	    quantity_parse(text, &b) == NULL && quantity_cmp(&a, &b) == 0,
	    "a quantity equals itself");
	fuzz_expect(a.value == 0 || a.value % 10 != 0,
	    "the mantissa has neither twos nor fives");
}

static void
try(struct span text)
{
	char *whole = mem_dup(text.p, text.n);

	check_tokens(text);
	check_message(text);
	check_quantity(text);
	if (memchr(whole, '\0', text.n) == NULL)
		check_source(whole);
	free(whole);
}

static const char *const seeds[] = {
    "def desired: [.owned.Pod[] | {name, \"a\": \"x\\(now)y\"}];",
    "def f($a; g): reduce .[] as {$owned} (0; . + $a) | f(1; g); # end",
    "include \"operator\";\ndef status: {a: $ENV, @base64 \"\\(.b)\"};",
    "def a: def b: 1; b; def desired: .a?.b//$__loc__ | .[\"now\"];",
    "try error(\"x\") catch . | (.a|tonumber)? | if . then 1 end | -1 as $x|$x",
    "foreach (1,2) as [$a, {b: $c}] (0; . + 1; {$a, $c: 1 + 2, if, \"k\": .})",
    "label $f | .a[1.5:nan]?.[\"x\"] |= (reduce .[] as $x (-1; . * $x) | .. ?)",
    "string (\"hunter2) and number (1) cannot be added",
    "Cannot index string with string \"hunter2\"",
    "hunter2 (at offset 0) is not a valid regex: can't be it's hunter2",
    "date 'hunter2' does not match format \"hunter2 (\"", "1.5e-3", "-100Gi",
    "0.000000000000000000001n", "340282366920938463463374607431768211455E",
    NULL};
static const char *const words[] = {"\"", "\\(", ")", "(", "{", "}", "[", "]",
    "def ", ";", "hunter2", "try ", " catch ", "?", " as $x | ", "-", "1.10",
    "'", "#", "\n", "\\", "$", ".", "::", "e9", "Ki", NULL};

int
main(int argc, char **argv)
{
	return fuzz_texts(argc, argv, seeds, words, try);
}
