#include "json/jvkey.h"

#include <stdint.h>
#include <string.h>

enum { PLACES = 512, TEXT_MOST = 32 };

/* The place of a text; n > 0. */
struct place {
	size_t n;
	char text[TEXT_MOST];
	jv string;
};

/* A few bytes are enough. Texts that collide do no harm. */
static size_t
place_of(struct span text)
{
	uint64_t h = text.n;
	uint32_t first = 0, last = 0;

	if (text.n >= sizeof(first)) {
		memcpy(&first, text.p, sizeof(first));
		memcpy(&last, text.p + text.n - sizeof(last), sizeof(last));
		h += text.p[text.n / 2];
	} else {
		first = (unsigned char)text.p[0];
		last = (unsigned char)text.p[text.n - 1];
		h += (uint64_t)(unsigned char)text.p[text.n / 2] << 8;
	}
	h = (h << 32 ^ first ^ (uint64_t)last << 16) * 0x9e3779b97f4a7c15u;
	return h >> 55;
}

jv
jvkey(struct span text)
{
	static struct place places[PLACES];
	struct place *at;

	if (text.n == 0 || text.n > TEXT_MOST)
		return jv_string_sized(
		    text.p != NULL ? text.p : "", (int)text.n);
	at = &places[place_of(text)];
	if (at->n == text.n && memcmp(at->text, text.p, text.n) == 0)
		return jv_copy(at->string);
	if (at->n > 0)
		jv_free(at->string);
	at->string = jv_string_sized(text.p, (int)text.n);
	memcpy(at->text, text.p, text.n);
	at->n = text.n;
	return jv_copy(at->string);
}
