#include "json/scan.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* popcnt is not in the x86-64 baseline and its replacement is a call. The
 * processor is asked here: what target_clones links for that is 4 KiB in each
 * tool. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define HAS_CLONES
#include <cpuid.h>
#endif

enum { NEAR = 16 };

struct block {
	uint64_t quote, backslash, open, close;
};

#ifdef __SSE2__
static inline uint64_t
equal_mask(const __m128i v[4], char c)
{
	__m128i want = _mm_set1_epi8(c);
	uint64_t mask = 0;

	for (unsigned i = 0; i < 4; i++) {
		__m128i eq = _mm_cmpeq_epi8(v[i], want);

		mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(eq) << 16 * i;
	}
	return mask;
}

static inline struct block
block_read(const char *p)
{
	__m128i v[4], lower[4], bit = _mm_set1_epi8(0x20);
	struct block b;

	for (unsigned i = 0; i < 4; i++) {
		v[i] = _mm_loadu_si128((const __m128i *)(p + 16 * i));
		lower[i] = _mm_or_si128(v[i], bit); /* [ ] become { } */
	}
	b.quote = equal_mask(v, '"');
	b.backslash = equal_mask(v, '\\');
	b.open = equal_mask(lower, '{');
	b.close = equal_mask(lower, '}');
	return b;
}
#else
static inline struct block
block_read(const char *p)
{
	struct block b = {0, 0, 0, 0};

	for (unsigned i = 0; i < 64; i++) {
		uint64_t bit = (uint64_t)1 << i;
		char c = p[i], lower = (char)(c | 0x20);

		b.quote |= c == '"' ? bit : 0;
		b.backslash |= c == '\\' ? bit : 0;
		b.open |= lower == '{' ? bit : 0;
		b.close |= lower == '}' ? bit : 0;
	}
	return b;
}
#endif

/* The last block is padded with zeros, which mean nothing here. */
static inline struct block
block_at(const char *p, const char *end)
{
	char padded[64] = {0};

	if (end - p >= 64)
		return block_read(p);
	memcpy(padded, p, (size_t)(end - p));
	return block_read(padded);
}

/* Bits behind an odd backslash; *carry passes that on to the next block. */
static inline uint64_t
escaped_bits(uint64_t backslash, uint64_t *carry)
{
	uint64_t escaped = *carry;

	backslash &= ~*carry;
	*carry = 0;
	while (backslash != 0) {
		uint64_t first = backslash & -backslash;

		if (first >> 63)
			*carry = 1;
		escaped |= first << 1;
		backslash &= ~(first | first << 1);
	}
	return escaped;
}

static inline uint64_t
prefix_xor(uint64_t x)
{
	x ^= x << 1;
	x ^= x << 2;
	x ^= x << 4;
	x ^= x << 8;
	x ^= x << 16;
	x ^= x << 32;
	return x;
}

const char *
json_scan_string(const char *p, const char *end)
{
	const char *near = end - p > NEAR ? p + NEAR : end;
	uint64_t carry = 0;

	/* Most strings are keys, too short for a block. */
	for (; p < near && *p != '\\'; p++)
		if (*p == '"')
			return p;
	for (; p < end; p += 64) {
		struct block b = block_at(p, end);
		uint64_t quote = b.quote;

		if ((b.backslash | carry) != 0)
			quote &= ~escaped_bits(b.backslash, &carry);
		if (quote != 0)
			return p + __builtin_ctzll(quote);
	}
	return NULL;
}

/* The block's bracket that brings the depth to zero, or -1. */
static int
find_end(uint64_t open, uint64_t close, uint64_t *depth)
{
	uint64_t both = open | close;

	while (both != 0) {
		uint64_t first = both & -both;

		*depth += (open & first) ? 1 : (uint64_t)-1;
		if (*depth == 0)
			return __builtin_ctzll(first);
		both &= both - 1;
	}
	return -1;
}

static inline __attribute__((always_inline)) const char *
scan_container(const char *p, const char *end)
{
	uint64_t depth = 1, carry = 0, inside = 0;

	for (; p < end; p += 64) {
		struct block b = block_at(p, end);
		uint64_t quote = b.quote, strings, open, close;

		if ((b.backslash | carry) != 0)
			quote &= ~escaped_bits(b.backslash, &carry);
		strings = prefix_xor(quote) ^ inside;
		inside = (uint64_t)((int64_t)strings >> 63);
		open = b.open & ~strings;
		close = b.close & ~strings;
		if ((uint64_t)__builtin_popcountll(close) < depth) {
			depth += (uint64_t)__builtin_popcountll(open);
			depth -= (uint64_t)__builtin_popcountll(close);
		} else {
			int at = find_end(open, close, &depth);

			if (at >= 0)
				return p + at + 1;
		}
	}
	return NULL;
}

#ifdef HAS_CLONES
typedef const char *scan_fn(const char *p, const char *end);

__attribute__((target("popcnt"))) static const char *
scan_by_popcnt(const char *p, const char *end)
{
	return scan_container(p, end);
}

static const char *
scan_by_call(const char *p, const char *end)
{
	return scan_container(p, end);
}

/* The loader calls it before anything else runs. */
static scan_fn *
choose_scan(void)
{
	unsigned a, b, c, d;

	__cpuid(1, a, b, c, d);
	return (c & bit_POPCNT) != 0 ? scan_by_popcnt : scan_by_call;
}

__attribute__((ifunc("choose_scan"))) scan_fn json_scan_container;
#else
const char *
json_scan_container(const char *p, const char *end)
{
	return scan_container(p, end);
}
#endif
