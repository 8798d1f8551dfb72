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
add_block(struct buf *b, const unsigned char key[DIGEST_SIZE], unsigned n,
    struct span seed)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char code[DIGEST_SIZE];
	struct buf text = BUF_INIT;

	buf_addf(&text, "%u:", n);
	buf_addspan(&text, seed);
	digest_hmac(
	    span_make((const char *)key, DIGEST_SIZE), buf_span(&text), code);
	for (size_t i = 0; i < sizeof(code); i++)
		if (code[i] < 256 / LETTERS * LETTERS)
			buf_addc(b, letters[code[i] % LETTERS]);
	buf_release(&text);
}

/* "FUNCTION MESSAGE"; consumes x. */
static jv
refuse(jv x, const char *function, const char *message)
{
	struct buf b = BUF_INIT;
	jv error;

	buf_addf(&b, "%s %s", function, message);
	error = natives_refuse(x, buf_str(&b));
	buf_release(&b);
	return error;
}

/* x: [..., SEED, LENGTH], consumed, with the seed at place `at`. */
static jv
make_text(jv x, int at, const char *function, enum random_key_state state,
    const unsigned char key[DIGEST_SIZE])
{
	jv seed = jv_array_get(jv_copy(x), at);
	jv length = jv_array_get(jv_copy(x), at + 1);
	double n =
	    jv_get_kind(length) == JV_KIND_NUMBER ? jv_number_value(length) : 0;
	struct buf text = BUF_INIT;

	jv_free(length);
	if (jv_get_kind(seed) != JV_KIND_STRING || !(n >= 1) || n > LONGEST ||
	    n != floor(n)) {
		x = refuse(x, function,
		    at == 0 ? "takes a text and a length from 1 to 1024"
			    : "takes a name, a text and a length from 1 to "
			      "1024");
	} else if (state == RANDOM_OFF) {
		x = refuse(x, function,
		    "needs random: true in the entry of watches.yaml");
	} else if (state == RANDOM_LACKS_KEY) {
		x = refuse(x, function,
		    "needs a key: kpipe has one; by hand give ireconcile a "
		    "file with a line of at least 32 characters, "
		    "--marks-key-fd=9 9<FILE");
	} else {
		for (unsigned block = 0; text.len < (size_t)n; block++)
			add_block(&text, key, block, jvtext_span(seed));
		jv_free(x);
		x = jv_string_sized(text.data, (int)n);
		buf_release(&text);
	}
	jv_free(seed);
	return x;
}

jv
natives_random(jv x, const struct random_key *key)
{
	return make_text(x, 0, "random", key->state, key->bytes);
}

jv
natives_random_for(jv x, const struct random_key *key)
{
	jv name = jv_array_get(jv_copy(x), 0);
	struct span text = jvtext_span(name);
	unsigned char of_name[DIGEST_SIZE];

	if (text.n == 0) {
		jv_free(name);
		return natives_refuse(x,
		    "random_for takes a name, a text and a length from 1 to "
		    "1024");
	}
	digest_hmac(
	    span_make((const char *)key->named, DIGEST_SIZE), text, of_name);
	jv_free(name);
	return make_text(x, 1, "random_for", key->state, of_name);
}
