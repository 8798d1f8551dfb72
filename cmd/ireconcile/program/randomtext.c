/*
 * Part of program/natives.h: texts that look random to everybody without the
 * key, and are always the same for one seed.
 *
 * A character is one of 62, from a byte of HMAC-SHA256(key, "N:SEED"), N = 0,
 * 1, ...; bytes of 248 and more are skipped, so that all are equally likely.
 * This never changes: it would change the passwords in every cluster.
 */
#include "program/natives.h"

#include <math.h>

#include "json/jvtext.h"

enum { LETTERS = 62, LONGEST = 1024 };

/* The characters of block n, appended. */
static void
add_block(
    struct buf *b, const struct random_key *key, unsigned n, struct span seed)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char code[DIGEST_SIZE];
	struct buf text = BUF_INIT;

	buf_addf(&text, "%u:", n);
	buf_addspan(&text, seed);
	digest_hmac(span_make((const char *)key->bytes, sizeof(key->bytes)),
	    buf_span(&text), code);
	for (size_t i = 0; i < sizeof(code); i++)
		if (code[i] < 256 / LETTERS * LETTERS)
			buf_addc(b, letters[code[i] % LETTERS]);
	buf_release(&text);
}

static const char *
lacking(const struct random_key *key)
{
	switch (key->state) {
	case RANDOM_OFF:
		return "random needs random: true in the entry of watches.yaml";
	case RANDOM_LACKS_KEY:
		return "random needs a key: kpipe has one; by hand give "
		       "ireconcile a file with a line of at least 32 "
		       "characters, --marks-key-fd=9 9<FILE";
	default:
		return NULL;
	}
}

jv
natives_random(jv x, const struct random_key *key)
{
	jv seed = jv_array_get(jv_copy(x), 0);
	jv length = jv_array_get(jv_copy(x), 1);
	double n =
	    jv_get_kind(length) == JV_KIND_NUMBER ? jv_number_value(length) : 0;
	struct buf text = BUF_INIT;

	jv_free(length);
	if (jv_get_kind(seed) != JV_KIND_STRING || !(n >= 1) || n > LONGEST ||
	    n != floor(n)) {
		jv_free(seed);
		return natives_refuse(
		    x, "random takes a text and a length from 1 to 1024");
	}
	if (lacking(key) != NULL) {
		jv_free(seed);
		return natives_refuse(x, lacking(key));
	}
	for (unsigned block = 0; text.len < (size_t)n; block++)
		add_block(&text, key, block, jvtext_span(seed));
	jv_free(seed);
	jv_free(x);
	x = jv_string_sized(text.data, (int)n);
	buf_release(&text);
	return x;
}
