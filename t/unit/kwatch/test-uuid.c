#include <string.h>

#include "tap.h"
#include "uuid.h"

static bool
comes_back(const char *uid)
{
	char bytes[UUID_BYTES];
	struct buf b = BUF_INIT;
	bool good = uuid_parse(span_str(uid), bytes);

	if (good) {
		uuid_add(&b, bytes);
		is(buf_str(&b), uid, "... comes back");
	}
	buf_release(&b);
	return good;
}

int
main(void)
{
	static const char *const others[] = {"", "uid-1",
	    "53DF3C21-b722-49d2-9716-146b13a59e88",
	    "53df3c21-b722-49d2-9716-146b13a59e8",
	    "53df3c21-b722-49d2-9716-146b13a59e888",
	    "53df3c21xb722-49d2-9716-146b13a59e88",
	    "53df3c21-b722-49d2-9716-146b13a59e8g",
	    "53df3c21b-722-49d2-9716-146b13a59e88"};
	bool any = false;

	ok(comes_back("53df3c21-b722-49d2-9716-146b13a59e88"), "a UUID");
	ok(comes_back("00000000-0000-0000-0000-0000000000ff"), "a low one");
	ok(comes_back("ffffffff-ffff-ffff-ffff-ffffffffffff"), "a high one");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		any = any || comes_back(others[i]);
	ok(!any, "others are not UUIDs");
	return tap_done();
}
