#include "language/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "json/json.h"

/* Words of the error messages of jq 1.6 to 1.8 and of its regular
 * expressions; a space before and behind each. */
static const char words[] =
    " Cannot index with iterate over and cannot be added subtracted "
    "multiplied divided because the divisor is zero null boolean false "
    "true number string array object has no keys key length not sorted "
    "grouped as it an parsed matched implode implodes imploded explode "
    "exploded input must check whether a delete field element of path "
    "fields update elements at use determine Invalid numeric literal "
    "line column while parsing Object Array Start End end start indices "
    "slice numbers date does match format strptime/1 strftime/1 mktime "
    "gmtime localtime only objects arrays strings or Out bounds "
    "negative valid base64 data decoded invalid reversed contain "
    "containment checked for types endswith() startswith() split "
    "separator joined csv tsv csv-formatted tsv-formatted in row "
    "escaped shell uri html json text range Range expression result try "
    "access attempt near through by Expected value before after "
    "Unfinished JSON term Exceeds depth limit EOF inputs to from broken "
    "down time requires regex Regex failure modifier too long large "
    "deep out Repeat Path Paths paths specified specify Break break "
    "label potentially Potentially truncated character characters "
    "escape sequence Unexpected extra values another pair key:value "
    "key-value should follow part unterminated Unmatched top-level "
    "middle Comparison Equality merge Division Remainder zero? "
    "remainder iterated negated searched codepoint unicode needs can't "
    "can assigned surrogate control abandoned Truncated fail memory "
    "allocation match-stack parse retry-limit-in-match "
    "retry-limit-in-search undefined type internal parser error stack "
    "unexpected bytecode initialize argument pattern left brace bracket "
    "empty char-class premature meta meta-code syntax control-code "
    "nested repeat operator unmatched close parenthesis group option "
    "POSIX big backref number/name many captures wide-char code point "
    "name multiplex defined never ending recursion if-else absent "
    "inefficient ";

static bool
known(struct span word)
{
	struct span rest = span_make(words, sizeof(words) - 1);

	while (word.n > 0 && strchr(".,:;", word.p[word.n - 1]) != NULL)
		word.n--;
	if (word.n == 0)
		return true;
	while (rest.n > word.n + 1) {
		const char *space = memchr(rest.p + 1, ' ', rest.n - 1);
		size_t n = (size_t)(space - rest.p - 1);

		if (n == word.n && memcmp(rest.p + 1, word.p, n) == 0)
			return true;
		rest = span_make(space, rest.n - n - 1);
	}
	return false;
}

static void
add_piece(struct buf *out, const char *piece)
{
	size_t n = strlen(piece);

	if (out->len > 0 && out->data[out->len - 1] != ' ')
		buf_addc(out, ' ');
	if (strcmp(piece, "...") == 0 && out->len >= n + 1 &&
	    memcmp(out->data + out->len - n - 1, "... ", n + 1) == 0)
		return;
	buf_adds(out, piece);
}

static void
add_words(struct buf *out, struct span text)
{
	struct buf word = BUF_INIT;

	while (text.n > 0) {
		size_t n = 0;

		while (n < text.n && text.p[n] != ' ' && text.p[n] != '\n')
			n++;
		if (n > 0) {
			buf_reset(&word);
			buf_add(&word, text.p, n);
			add_piece(out,
			    known(span_make(text.p, n)) ? buf_str(&word)
							: "...");
		}
		n += n < text.n;
		text = span_skip(text, n);
	}
	buf_release(&word);
}

/* text lies between the first quote or bracket and the last one. */
static void
add_quoted(struct buf *out, struct span text, const struct source *s)
{
	struct buf quoted = BUF_INIT;
	char first = text.p[0];
	char last = text.p[text.n - 1];

	if (first == '"' && last == '"' && text.n > 2 &&
	    source_has_word(s, span_make(text.p + 1, text.n - 2)))
		buf_addspan(&quoted, text);
	else if (first == '(')
		buf_adds(&quoted, span_is(text, "(null)") ? "(null)" : "(...)");
	else
		buf_adds(&quoted, "...");
	add_piece(out, buf_str(&quoted));
	buf_release(&quoted);
}

static bool
letter_at(struct span s, size_t i)
{
	return i < s.n && s.p[i] >= 'a' && s.p[i] <= 'z';
}

/* A quote or bracket; but not the apostrophe of "can't". */
static bool
mark_at(struct span s, size_t i)
{
	char c = s.p[i];

	if (c == '\'' && i > 0 && letter_at(s, i - 1) && letter_at(s, i + 1))
		return false;
	return c != '\0' && strchr("\"'([{)]}", c) != NULL;
}

/*
 * "Cannot index array with string \"a\"", which 1.8 writes ("a"), and with
 * the number. The key is shown if it occurs in the program, and is so short
 * that no version cuts it.
 */
static bool
cut_index(struct buf *out, struct span message, const struct source *s)
{
	static const char start[] = "Cannot index ";
	static const char with[] = " with ";
	const char *end = message.p + message.n;
	const char *at, *kind;
	struct span word;

	if (!span_starts(message, start))
		return false;
	at = memmem(message.p, message.n, with, sizeof(with) - 1);
	if (at == NULL || memchr(message.p, '"', (size_t)(at - message.p)))
		return false;
	add_words(out, span_make(message.p, (size_t)(at - message.p)));
	add_piece(out, "with");
	kind = at + sizeof(with) - 1;
	for (at = kind; at < end && *at >= 'a' && *at <= 'z'; at++)
		continue;
	if (at > kind &&
	    !span_is(span_make(kind, (size_t)(at - kind)), "string")) {
		add_words(out, span_make(kind, (size_t)(at - kind)));
		return true;
	}
	add_piece(out, "string");
	while (at < end && *at != '"')
		at++;
	while (end > at && end[-1] != '"')
		end--;
	word = span_make(at + 1, end > at + 1 ? (size_t)(end - at - 2) : 0);
	/* jq 1.8 writes the key as JSON, other versions as it is: they agree
	 * only without a backslash. */
	if (word.n > 0 && word.n <= 10 && span_find(word, '\\') == NULL &&
	    source_has_word(s, word))
		buf_addf(out, " \"%.*s\"", SPAN_ARG(word));
	return true;
}

/* Errors that each version words differently; and those that quote the start of
 * a value, which may be the whole input: what is left of it, cut, would depend
 * on members that the program does not read. */
static bool
cut_known(struct buf *out, struct span message)
{
	static const char *const texts[][2] = {
	    {"Start and end indices of an ", "slice indices must be numbers"},
	    {"Array/string slice indices ", "slice indices must be numbers"},
	    {"Cannot update field at object index of string",
		"Cannot update slices of a string"},
	    {"Cannot update string slices", "Cannot update slices of a string"},
	    {"Invalid path expression near attempt to access element ",
		"Invalid path expression near attempt to access element ... "
		"of ..."},
	    {"Invalid path expression near attempt to iterate through ",
		"Invalid path expression near attempt to iterate through ..."},
	    {"Invalid path expression with result ",
		"Invalid path expression with result ..."},
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		if (span_starts(message, texts[i][0])) {
			buf_adds(out, texts[i][1]);
			return true;
		}
	}
	return false;
}

void
message_cut(struct buf *out, struct span message, const struct source *s)
{
	size_t from = 0;
	size_t to = message.n;

	if (cut_index(out, message, s) || cut_known(out, message))
		return;
	/* A bracket inside a string cannot be told from one of the message:
	 * everything between the first and the last mark counts as one
	 * value. */
	while (from < message.n && !mark_at(message, from))
		from++;
	while (to > from && !mark_at(message, to - 1))
		to--;
	add_words(out, span_make(message.p, from));
	if (to > from)
		add_quoted(out, span_make(message.p + from, to - from), s);
	add_words(out, span_skip(message, to));
}
