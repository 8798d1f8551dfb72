/* random: the same numbers for the same seed. */
#include "text/random.h"

#include <string.h>

#include "tap.h"

TEST(uuid)
{
	char a[RANDOM_UUID + 1], b[RANDOM_UUID + 1];

	random_uuid(RANDOM_OBJECTS, a);
	random_uuid(RANDOM_OBJECTS, b);
	ok(strlen(a) == 36 && a[8] == '-' && a[13] == '-' && a[14] == '4' &&
		a[18] == '-' && strchr("89ab", a[19]) != NULL && a[23] == '-',
	    "a version 4 UUID");
	ok(strcmp(a, b) != 0, "no two are the same");
}

TEST(seed)
{
	char a[11], b[11], c[11], d[RANDOM_UUID + 1];

	ok(random_salt() == 0, "no seed");
	random_seed(7);
	ok(random_salt() == 7, "a seed");
	random_bytes(RANDOM_OBJECTS, a, sizeof a);
	random_seed(7);
	random_uuid(RANDOM_ANSWERS, d);
	random_bytes(RANDOM_OBJECTS, b, sizeof b);
	random_bytes(RANDOM_OBJECTS, c, sizeof c);
	ok(memcmp(a, b, sizeof a) == 0,
	    "the same begins again, whatever was "
	    "answered");
	ok(memcmp(b, c, sizeof b) != 0, "... and goes on");
	random_seed(7);
	random_bytes(RANDOM_ANSWERS, b, sizeof b);
	ok(memcmp(a, b, sizeof a) != 0, "streams differ");
	random_seed(8);
	random_bytes(RANDOM_OBJECTS, b, sizeof b);
	ok(memcmp(a, b, sizeof a) != 0, "... and seeds");
}
