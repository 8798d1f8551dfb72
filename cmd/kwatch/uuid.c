#include "uuid.h"

enum { TEXT = 36 };

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
is_dash(size_t i)
{
	return i == 8 || i == 13 || i == 18 || i == 23;
}

bool
uuid_parse(struct span uid, char to[UUID_BYTES])
{
	unsigned byte = 0;

	if (uid.n != TEXT)
		return false;
	for (size_t i = 0, digits = 0; i < TEXT; i++) {
		int digit = hex_digit(uid.p[i]);

		if (is_dash(i) ? uid.p[i] != '-' : digit < 0)
			return false;
		if (is_dash(i))
			continue;
		byte = byte << 4 | (unsigned)digit;
		if (digits++ % 2 == 1)
			to[digits / 2 - 1] = (char)(byte & 0xff);
	}
	return true;
}

void
uuid_add(struct buf *b, const char bytes[UUID_BYTES])
{
	for (size_t i = 0; i < UUID_BYTES; i++) {
		unsigned byte = (unsigned char)bytes[i];

		if (i == 4 || i == 6 || i == 8 || i == 10)
			buf_addc(b, '-');
		buf_addc(b, "0123456789abcdef"[byte >> 4]);
		buf_addc(b, "0123456789abcdef"[byte & 15]);
	}
}
