/*
 * fuzz-jwt: tokens that are almost right.
 *
 *	fuzz-jwt [SECONDS [SEED]]
 *
 * A token is taken apart without a read outside it (run it with ASan), one
 * that we signed is good, and what was changed is not, unless nothing that was
 * signed has changed.
 */
// needs cmd/kapi/request/jwt.c
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "request/jwt.h"

static unsigned state;

static unsigned
below(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

static void
expect(bool holds, const char *what, struct span token)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz-jwt: does not hold: %s\nfor %.*s\n", what,
	    SPAN_ARG(token));
	abort();
}

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
			       "VWXYZ0123456789-_.=+/\"{}\n";

static void
mutate(struct buf *b)
{
	unsigned n = (unsigned)b->len, at = below(n);

	switch (below(5)) {
	case 0:
		buf_truncate(b, at);
		break;
	case 1:
		b->data[at] = (char)below(256);
		break;
	case 2: /* a part again, at the end */
		buf_reserve(b, n - at);
		buf_add(b, b->data + at, n - at);
		break;
	default:
		b->data[at] = alphabet[below(sizeof(alphabet) - 1)];
	}
}

/* In memory of its own size. */
static void
try(const struct jwt_keys *keys, struct span token, struct span good)
{
	char *exact = mem_dup(token.p, token.n);
	struct arena a = ARENA_INIT;
	struct jwt was, is;

	exact = mem_array(exact, token.n == 0 ? 1 : token.n, 1);
	jwt_parse(&a, good, &was);
	if (jwt_parse(&a, span_make(exact, token.n), &is) &&
	    jwt_verify(keys, &is) == JWT_GOOD)
		expect(span_eq(is.signed_, was.signed_) &&
			span_eq(is.signature, was.signature),
		    "what is good was signed", token);
	arena_release(&a);
	free(exact);
}

int
main(int argc, char **argv)
{
	long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
	time_t end = time(NULL) + seconds;
	struct jwt_keys *keys = jwt_keys_new();
	struct buf good = BUF_INIT, b = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT;
	unsigned long runs = 0;
	struct jwt t;

	state = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
	if (jwt_keys_make(keys, &err) != 0 ||
	    jwt_sign(
		keys, span_str("{\"iss\":\"x\",\"aud\":[\"y\"]}"), &good) != 0)
		abort();
	expect(jwt_parse(&a, buf_span(&good), &t) &&
		jwt_verify(keys, &t) == JWT_GOOD,
	    "our own is good", buf_span(&good));
	arena_release(&a);
	while (runs % 64 != 0 || time(NULL) < end) {
		buf_reset(&b);
		buf_addspan(&b, buf_span(&good));
		for (unsigned i = 1 + below(4); i > 0 && b.len > 0; i--)
			mutate(&b);
		try(keys, buf_span(&b), buf_span(&good));
		runs++;
	}
	buf_release(&b);
	buf_release(&good);
	jwt_keys_free(keys);
	printf("%lu tokens\n", runs);
	return 0;
}
