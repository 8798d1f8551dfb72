#include "kubelet/inflate.h"

#include <stdint.h>

enum {
	BITS_MAX = 15,
	LITERALS = 288,
	DISTANCES = 30,
	END_OF_BLOCK = 256,
	WINDOW = 32768,
	DICTIONARY_ID = (int)0xe3c6a7c2
};

/* ---- the dictionary: SPDY/3, section 2.6.10.1 ---- */

static const char words[] =
    "options head post put delete trace accept accept-charset accept-encoding "
    "accept-language accept-ranges age allow authorization cache-control "
    "connection content-base content-encoding content-language content-length "
    "content-location content-md5 content-range content-type date etag expect "
    "expires from host if-match if-modified-since if-none-match if-range "
    "if-unmodified-since last-modified location max-forwards pragma "
    "proxy-authenticate proxy-authorization range referer retry-after server "
    "te trailer transfer-encoding upgrade user-agent vary via warning "
    "www-authenticate method get status 200-OK version HTTP/1.1 url public "
    "set-cookie keep-alive origin";
static const char text[] =
    "100101201202205206300302303304305306307402405406407408409410411412413414"
    "415416417502504505203 Non-Authoritative Information204 No Content301 "
    "Moved "
    "Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 "
    "Internal Server Error501 Not Implemented503 Service UnavailableJan Feb "
    "Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, "
    "Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,"
    "application/xml,application/xhtml+xml,text/plain,text/javascript,"
    "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,"
    "utf-,*,enq=0.";

static void
add_dictionary(struct buf *b)
{
	struct span rest = span_str(words);

	while (rest.p != NULL) {
		struct span word = span_cut(&rest, ' ');

		buf_add(b, "\0\0\0", 3);
		buf_addc(b, (char)word.n);
		buf_addspan(b, word);
		if (span_is(word, "200-OK"))
			b->data[b->len - 3] = ' ';
	}
	buf_adds(b, text);
}

void
inflate_release(struct inflater *i)
{
	buf_release(&i->window);
}

/* ---- bits ---- */

struct bits {
	struct span in;
	uint32_t held;
	unsigned count;
	bool bad;
};

static unsigned
take(struct bits *b, unsigned n)
{
	unsigned value;

	while (b->count < n) {
		if (b->in.n == 0) {
			b->bad = true;
			return 0;
		}
		b->held |= (uint32_t)(unsigned char)*b->in.p << b->count;
		b->count += 8;
		b->in = span_skip(b->in, 1);
	}
	value = b->held & ((1u << n) - 1);
	b->held >>= n;
	b->count -= n;
	return value;
}

/* ---- codes ---- */

/* Canonical: how many codes have each length, and their symbols in order. */
struct codes {
	uint16_t count[BITS_MAX + 1], symbols[LITERALS];
};

/* False: more codes than their lengths allow. */
static bool
make_codes(struct codes *c, const unsigned char *lengths, size_t n)
{
	uint16_t next[BITS_MAX + 2] = {0};
	int left = 1;

	*c = (struct codes){0};
	for (size_t i = 0; i < n; i++)
		c->count[lengths[i]]++;
	c->count[0] = 0;
	for (size_t k = 1; k <= BITS_MAX; k++) {
		left = 2 * left - c->count[k];
		if (left < 0)
			return false;
		next[k + 1] = (uint16_t)(next[k] + c->count[k]);
	}
	for (size_t i = 0; i < n; i++)
		if (lengths[i] != 0)
			c->symbols[next[lengths[i]]++] = (uint16_t)i;
	return true;
}

static unsigned
decode(struct bits *b, const struct codes *c)
{
	int code = 0, first = 0, index = 0;

	for (size_t k = 1; k <= BITS_MAX && !b->bad; k++) {
		code |= (int)take(b, 1);
		if (code - first < c->count[k])
			return c->symbols[index + code - first];
		index += c->count[k];
		first = (first + c->count[k]) * 2;
		code *= 2;
	}
	b->bad = true;
	return 0;
}

/* ---- blocks ---- */

/* Where they write: the window, up to a size. */
struct target {
	struct buf *to;
	size_t end;
};

static void
put(struct bits *b, struct target *t, char c)
{
	if (t->to->len >= t->end)
		b->bad = true;
	else
		buf_addc(t->to, c);
}

static void
copy(struct bits *b, struct target *t, size_t length, size_t distance)
{
	if (distance > t->to->len || distance > WINDOW)
		b->bad = true;
	for (size_t i = 0; i < length && !b->bad; i++)
		put(b, t, t->to->data[t->to->len - distance]);
}

static size_t
length_of(struct bits *b, unsigned symbol)
{
	unsigned extra;

	symbol -= END_OF_BLOCK + 1;
	if (symbol < 8)
		return 3 + symbol;
	if (symbol == 28)
		return 258;
	if (symbol > 28) {
		b->bad = true;
		return 0;
	}
	extra = symbol / 4 - 1;
	return 3 + ((4 + symbol % 4) << extra) + take(b, extra);
}

static size_t
distance_of(struct bits *b, unsigned symbol)
{
	unsigned extra;

	if (symbol < 4)
		return 1 + symbol;
	if (symbol >= DISTANCES) {
		b->bad = true;
		return 0;
	}
	extra = symbol / 2 - 1;
	return 1 + ((2 + symbol % 2) << extra) + take(b, extra);
}

static void
read_coded(struct bits *b, struct target *t, const struct codes *literals,
    const struct codes *distances)
{
	unsigned symbol;

	while (!b->bad && (symbol = decode(b, literals)) != END_OF_BLOCK) {
		if (symbol < END_OF_BLOCK)
			put(b, t, (char)symbol);
		else {
			size_t n = length_of(b, symbol);

			copy(b, t, n, distance_of(b, decode(b, distances)));
		}
	}
}

static void
read_fixed(struct bits *b, struct target *t)
{
	unsigned char lengths[LITERALS];
	struct codes literals, distances;

	for (size_t i = 0; i < LITERALS; i++)
		lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	make_codes(&literals, lengths, LITERALS);
	memset(lengths, 5, DISTANCES);
	make_codes(&distances, lengths, DISTANCES);
	read_coded(b, t, &literals, &distances);
}

/* The lengths of n codes, themselves coded. */
static void
read_lengths(
    struct bits *b, const struct codes *c, unsigned char *lengths, size_t n)
{
	size_t i = 0;

	while (i < n && !b->bad) {
		unsigned symbol = decode(b, c);
		unsigned char value = 0;
		size_t times = 1;

		if (symbol < 16)
			value = (unsigned char)symbol;
		else if (symbol == 16) {
			b->bad = b->bad || i == 0;
			value = i == 0 ? 0 : lengths[i - 1];
			times = 3 + take(b, 2);
		} else
			times = symbol == 17 ? 3 + take(b, 3) : 11 + take(b, 7);
		if (times > n - i) {
			b->bad = true;
			return;
		}
		for (; times > 0; times--)
			lengths[i++] = value;
	}
}

static void
read_dynamic(struct bits *b, struct target *t)
{
	static const unsigned char order[] = {
	    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
	unsigned char lengths[LITERALS + DISTANCES + 2] = {0};
	struct codes literals, distances;
	size_t literal_n = 257 + take(b, 5), distance_n = 1 + take(b, 5);
	size_t n = 4 + take(b, 4);

	for (size_t i = 0; i < n; i++)
		lengths[order[i]] = (unsigned char)take(b, 3);
	if (literal_n > LITERALS - 2 || distance_n > DISTANCES ||
	    !make_codes(&literals, lengths, sizeof(order))) {
		b->bad = true;
		return;
	}
	memset(lengths, 0, sizeof(order));
	read_lengths(b, &literals, lengths, literal_n + distance_n);
	if (!b->bad && make_codes(&literals, lengths, literal_n) &&
	    make_codes(&distances, lengths + literal_n, distance_n))
		read_coded(b, t, &literals, &distances);
	else
		b->bad = true;
}

/* Bytes as they are. */
static void
read_stored(struct bits *b, struct target *t)
{
	unsigned n, check;

	b->held = b->count = 0; /* the rest of a byte */
	n = take(b, 16);
	check = take(b, 16);
	if (b->bad || (n ^ check) != 0xffff || n > b->in.n ||
	    t->to->len + n > t->end) {
		b->bad = true;
		return;
	}
	buf_add(t->to, b->in.p, n);
	b->in = span_skip(b->in, n);
}

/* The head of zlib, with the id of the dictionary. */
static bool
read_head(struct bits *b)
{
	unsigned first = take(b, 16), id = 0;

	for (size_t i = 0; i < 4; i++)
		id = id << 8 | take(b, 8);
	return !b->bad && (first & 0x0f) == 8 && (first & 0x2000) != 0 &&
	    ((first & 0xff) << 8 | first >> 8) % 31 == 0 &&
	    id == (unsigned)DICTIONARY_ID;
}

int
inflate_frame(struct inflater *i, struct span in, size_t max, struct buf *out)
{
	struct bits b = {.in = in};
	struct target t;
	size_t from;

	if (!i->begun) {
		i->begun = true;
		add_dictionary(&i->window);
		b.bad = !read_head(&b);
	}
	from = i->window.len;
	t = (struct target){&i->window, from + max};
	while (!b.bad && (b.in.n > 0 || b.count >= 8)) {
		bool last = take(&b, 1) == 1;
		unsigned type = take(&b, 2);

		if (last || type == 3)
			b.bad = true;
		else if (type == 0)
			read_stored(&b, &t);
		else if (type == 1)
			read_fixed(&b, &t);
		else
			read_dynamic(&b, &t);
	}
	if (b.bad)
		return -1;
	buf_add(out, i->window.data + from, i->window.len - from);
	if (i->window.len > 2 * WINDOW) {
		memmove(i->window.data, i->window.data + i->window.len - WINDOW,
		    WINDOW);
		buf_truncate(&i->window, WINDOW);
	}
	return 0;
}
