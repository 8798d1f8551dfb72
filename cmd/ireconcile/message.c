#include "message.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

/* Words of the error messages of jq 1.6 to 1.8, sorted by nothing. */
static const char words[] =
    " Cannot index with iterate over and cannot be added subtracted multiplied "
    "divided because the divisor is zero null boolean false true number string "
    "array object has no keys key length not sorted grouped as it is an "
    "parsed matched implode explode input must check whether a delete field "
    "element of path fields update elements at use determine Invalid numeric "
    "literal line column while parsing Object Array Start end indices slice "
    "numbers date does match format strptime requires strftime mktime "
    "gmtime localtime only objects arrays strings or Out bounds negative "
    "index valid base64 data decoded invalid reversed contain containment "
    "checked for types endswith startswith ltrimstr rtrimstr split separator "
    "joined csv tsv formatted in row escaped shell uri html json text range "
    "bounds expression result try access near by Expected value before "
    "Unfinished JSON term Exceeds depth limit EOF inputs to from 6 broken down "
    "time exploded regex Regex modifier string: too long large out Repeat "
    "tojson fromjson string/array paths Paths specified specify Break break "
    "potential truncated character escape sequence ";

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
		text = span_make(text.p + n, text.n - n);
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

void
message_cut(struct buf *out, struct span message, const struct source *s)
{
	static const char marks[] = "\"'([{)]}";
	size_t from = 0;
	size_t to = message.n;

	/* A bracket inside a string cannot be told from one of the template:
	 * everything between the first and the last mark is taken as one. */
	while (from < message.n &&
	    (message.p[from] == '\0' || strchr(marks, message.p[from]) == NULL))
		from++;
	while (to > from &&
	    (message.p[to - 1] == '\0' ||
		strchr(marks, message.p[to - 1]) == NULL))
		to--;
	add_words(out, span_make(message.p, from));
	if (to > from)
		add_quoted(out, span_make(message.p + from, to - from), s);
	add_words(out, span_make(message.p + to, message.n - to));
}
