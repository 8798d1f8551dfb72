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
// needs cmd/kapi/tree/*.c
// needs t/fuzz/fuzz.c
#include <stdlib.h>

#include "fuzz.h"
#include "request/jwt.h"

static const char *const words[] = {"a", "Z", "0", "9", "-", "_", ".", "=", "+",
    "/", "\"", "{", "}", "\n", NULL};
static struct jwt_keys *keys;
static struct buf good = BUF_INIT;

static void
try(struct span token)
{
	struct arena a = ARENA_INIT;
	struct jwt was, is;

	jwt_parse(&a, buf_span(&good), &was);
	if (jwt_parse(&a, token, &is) && jwt_verify(keys, &is) == JWT_GOOD)
		fuzz_expect(span_eq(is.signed_, was.signed_) &&
			span_eq(is.signature, was.signature),
		    "what is good was signed");
	arena_release(&a);
}

int
main(int argc, char **argv)
{
	const char *seeds[2] = {NULL};
	struct err err = ERR_INIT;
	struct arena a = ARENA_INIT;
	struct jwt t;

	keys = jwt_keys_new();
	if (jwt_keys_make(keys, &err) != 0 ||
	    jwt_sign(
		keys, span_str("{\"iss\":\"x\",\"aud\":[\"y\"]}"), &good) != 0)
		abort();
	fuzz_input = buf_span(&good);
	fuzz_expect(
	    jwt_parse(&a, fuzz_input, &t) && jwt_verify(keys, &t) == JWT_GOOD,
	    "our own is good");
	arena_release(&a);
	seeds[0] = buf_str(&good);
	fuzz_texts(argc, argv, seeds, words, try);
	buf_release(&good);
	jwt_keys_free(keys);
	return 0;
}
