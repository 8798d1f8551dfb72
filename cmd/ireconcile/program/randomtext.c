#include "program/randomtext.h"

#include <math.h>

#include "json/jvtext.h"
#include "program/natives.h"

enum { LETTERS = 62 };

/* The key of the present call; there is one call at a time. */
static struct random_key now;

void
randomtext_use(const struct random_key *key)
{
	now = *key;
}

/* The characters of block n, appended. */
static void
add_block(struct buf *b, unsigned n, struct span seed)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char code[DIGEST_SIZE];
	struct buf text = BUF_INIT;

	buf_addf(&text, "%u:", n);
	buf_addspan(&text, seed);
	digest_hmac(span_make((const char *)now.bytes, sizeof(now.bytes)),
	    buf_span(&text), code);
	for (size_t i = 0; i < sizeof(code); i++)
		if (code[i] < 256 / LETTERS * LETTERS)
			buf_addc(b, letters[code[i] % LETTERS]);
	buf_release(&text);
}

static const char *
lacking(void)
{
	switch (now.state) {
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
randomtext_call(jv x)
{
	jv seed = jv_array_get(jv_copy(x), 0);
	jv length = jv_array_get(jv_copy(x), 1);
	double n =
	    jv_get_kind(length) == JV_KIND_NUMBER ? jv_number_value(length) : 0;
	struct buf text = BUF_INIT;

	jv_free(length);
	if (jv_get_kind(seed) != JV_KIND_STRING || !(n >= 1) ||
	    n > RANDOMTEXT_LONGEST || n != floor(n)) {
		jv_free(seed);
		return natives_refuse(
		    x, "random takes a text and a length from 1 to 1024");
	}
	if (lacking() != NULL) {
		jv_free(seed);
		return natives_refuse(x, lacking());
	}
	for (unsigned block = 0; text.len < (size_t)n; block++)
		add_block(&text, block, jvtext_span(seed));
	jv_free(seed);
	jv_free(x);
	x = jv_string_sized(text.data, (int)n);
	buf_release(&text);
	return x;
}
