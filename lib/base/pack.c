#include "base/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * A sequence: a byte, whose upper bit says that the match goes on where the
 * last one in the sample would; three bits for the number of literals, and four
 * for the length of the match beyond MATCH_MIN; more of each number in the
 * bytes behind, if all its bits are set; the literals; the match's place, if
 * the upper bit does not tell it: two bytes, below PACK_SAMPLE_MAX in the
 * sample, else the distance back in the text. A text ends after a sequence's
 * literals.
 */
enum {
	MATCH_MIN = 6,
	ALONG = 0x80,
	LITERALS = 7,
	MATCH = 15,
	LITERALS_SHIFT = 4,
	NEAR_MAX = 0x8000, /* farthest match in the text */
	OWN_BITS = 10,
	STEP_SHIFT = 6,
	/* A text is like nothing in the sample if its packed form is longer
	 * than 1 / LIKE of it. */
	LIKE = 4,
	SHARE = 8, /* the sample is at most 1 / SHARE of all texts */
	BITS_MIN = 10,
	BITS_MAX = 15
};

void
pack_release(struct pack *p)
{
	buf_release(&p->sample);
	free(p->places);
	*p = (struct pack){0};
}

/* The MATCH_MIN bytes at p; eight can be read there. */
static uint64_t
bytes_at(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v << 16;
}

static uint32_t
hash(uint64_t bytes, unsigned bits)
{
	return (uint32_t)(bytes * 0x9e3779b97f4a7c15u >> (64 - bits));
}

static bool
same(const char *a, const char *b)
{
	return bytes_at(a) == bytes_at(b);
}

/* The bytes at a and b that are the same, up to each end. */
static size_t
common(const char *a, const char *a_end, const char *b, const char *b_end)
{
	size_t max = (size_t)(a_end - a), n = 0;

	if (max > (size_t)(b_end - b))
		max = (size_t)(b_end - b);
	while (n + 8 <= max && memcmp(a + n, b + n, 8) == 0)
		n += 8;
	while (n < max && a[n] == b[n])
		n++;
	return n;
}

static void
add_number(struct buf *out, size_t n)
{
	for (; n >= 255; n -= 255)
		buf_addc(out, (char)255);
	buf_addc(out, (char)n);
}

struct match {
	size_t n;
	bool along;
	uint16_t place; /* the number that is written for the place */
};

static void
add_sequence(struct buf *out, struct span literals, const struct match *m)
{
	size_t few = literals.n < LITERALS ? literals.n : LITERALS;
	size_t n = m->n < MATCH_MIN ? 0 : m->n - MATCH_MIN;
	size_t some = n < MATCH ? n : MATCH;

	buf_addc(
	    out, (char)((m->along ? ALONG : 0) | few << LITERALS_SHIFT | some));
	if (few == LITERALS)
		add_number(out, literals.n - LITERALS);
	buf_addspan(out, literals);
	if (m->n == 0)
		return;
	if (some == MATCH)
		add_number(out, n - MATCH);
	if (m->along)
		return;
	buf_addc(out, (char)(m->place & 0xff));
	buf_addc(out, (char)(m->place >> 8));
}

/* The state of one text. */
struct packing {
	const struct pack *pack;
	const char *start, *end; /* the text that is packed */
	size_t along; /* the place in the sample where a match may go on */
	uint16_t own[1 << OWN_BITS]; /* places in the text, modulo 65536 */
};

static const char *
sample_end(const struct pack *p)
{
	return p->sample.data + p->sample.len;
}

/* The best match at p, which has eight bytes; `along` is that of p. */
static bool
find(struct packing *k, const char *p, struct match *m)
{
	const struct pack *pack = k->pack;
	uint64_t bytes = bytes_at(p);
	uint16_t *own = &k->own[hash(bytes, OWN_BITS)];
	size_t at = (size_t)(p - k->start), back = (uint16_t)(at - *own);
	const char *q;

	*own = (uint16_t)at;
	*m = (struct match){0};
	q = pack->sample.data + k->along;
	if (k->along + 8 <= pack->sample.len && same(p, q)) {
		*m = (struct match){
		    common(p, k->end, q, sample_end(pack)), true, 0};
		return true;
	}
	if (pack->bits > 0) {
		q = pack->sample.data + pack->places[hash(bytes, pack->bits)];
		if (same(p, q)) {
			m->n = common(p, k->end, q, sample_end(pack));
			m->place = (uint16_t)(q - pack->sample.data);
		}
	}
	if (back > 0 && back <= NEAR_MAX && back <= at && same(p, p - back)) {
		size_t n = common(p, k->end, p - back, k->end);

		if (n > m->n)
			*m = (struct match){
			    n, false, (uint16_t)(PACK_SAMPLE_MAX + back - 1)};
	}
	return m->n > 0;
}

static void
encode(const struct pack *pack, struct span text, struct buf *out)
{
	struct packing k = {
	    .pack = pack, .start = text.p, .end = text.p + text.n};
	const char *p = text.p, *from = p;
	struct match m;

	while (k.end - p >= 8) {
		if (!find(&k, p, &m)) {
			/* Faster through what is like nothing. */
			size_t step = 1 + ((size_t)(p - from) >> STEP_SHIFT);

			p += step;
			k.along += step;
			continue;
		}
		add_sequence(out, span_make(from, (size_t)(p - from)), &m);
		if (!m.along && m.place < PACK_SAMPLE_MAX)
			k.along = m.place;
		k.along += m.n;
		p += m.n;
		from = p;
	}
	add_sequence(
	    out, span_make(from, (size_t)(k.end - from)), &(struct match){0});
}

/* Adds a text to the sample, and makes the table again. */
static void
learn(struct pack *p, struct span text)
{
	unsigned bits = BITS_MIN;

	buf_addspan(&p->sample, text);
	while (bits < BITS_MAX && (size_t)1 << bits < p->sample.len)
		bits++;
	free(p->places);
	p->places = mem_zalloc(sizeof(*p->places) << bits);
	p->bits = bits;
	for (size_t i = p->sample.len - 7; i-- > 0;)
		p->places[hash(bytes_at(p->sample.data + i), bits)] =
		    (uint16_t)i;
}

static bool
may_learn(const struct pack *p, size_t n)
{
	return n >= 8 && p->sample.len + n <= PACK_SAMPLE_MAX &&
	    (p->sample.len + n) * SHARE <= p->bytes;
}

void
pack_text(struct pack *p, struct span text, struct buf *out)
{
	size_t before = out->len;

	p->bytes += text.n;
	encode(p, text, out);
	if ((out->len - before) * LIKE <= text.n || !may_learn(p, text.n))
		return;
	learn(p, text);
	out->len = before;
	encode(p, text, out);
}

/* ---- opening ---- */

static size_t
number(const unsigned char **p)
{
	size_t n = 0;

	while (**p == 255)
		n += *(*p)++;
	return n + *(*p)++;
}

/* Copies from earlier in the same text; both places may overlap. */
static void
repeat(char *to, size_t distance, size_t n)
{
	if (distance >= n)
		memcpy(to, to - distance, n);
	else
		for (size_t i = 0; i < n; i++)
			to[i] = to[i - distance];
}

void
pack_open(const struct pack *p, struct span packed, char *to, size_t n)
{
	const unsigned char *in = (const unsigned char *)packed.p;
	const unsigned char *in_end = in + packed.n;
	char *end = to + n;
	size_t along = 0;

	while (in < in_end) {
		unsigned head = *in++;
		size_t literals = head >> LITERALS_SHIFT & LITERALS;
		size_t match = head & MATCH, place;

		if (literals == LITERALS)
			literals += number(&in);
		memcpy(to, in, literals);
		in += literals;
		to += literals;
		along += literals;
		if (to == end)
			break;
		if (match == MATCH)
			match += number(&in);
		match += MATCH_MIN;
		if (!(head & ALONG)) {
			place = in[0] | (size_t)in[1] << 8;
			in += 2;
			if (place >= PACK_SAMPLE_MAX) {
				repeat(to, place - PACK_SAMPLE_MAX + 1, match);
				to += match;
				along += match;
				continue;
			}
			along = place;
		}
		memcpy(to, p->sample.data + along, match);
		to += match;
		along += match;
	}
}
