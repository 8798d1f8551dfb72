/* httpurl: what is a URL, and what is not. */
#include "http/httpurl.h"

#include <stddef.h>

#include "base/array.h"
#include "tap.h"

#define EXAMPLE "http://collector:4318"

static const char *const good[] = {"http://collector:4318", "https://a.b-c_d",
    "http://127.0.0.1:1/", "https://[::1]:65535/a/b%20c/", "http://[::1]"};

static const char *const bad[] = {"", "collector:4318", "http://", "http:///x",
    "https://", "HTTP://a", "ftp://a", "http://a b", "http://a/b c",
    "http://a/?x", "http://a?x", "http://a/#x", "http://:4318",
    "http://a:", "http://a:0", "http://a:65536", "http://a:123456",
    "http://a:1x", "http://[::1", "http://[]", "http://[::1]4318",
    "http://[::1]:", "http://a\\", "http://a\n", "http://a/\n", "http://a\xff",
    "http://a%0a"};

/* Not repeated: logs would have them. */
static const char *const secret[] = {
    "http://u:hunter2@h", "https://h/hunter2@", "u:hunter2@h"};

TEST(httpurl)
{
	struct err err = ERR_INIT;
	char want[256];

	for (size_t i = 0; i < COUNT(good); i++)
		ok(httpurl_check(good[i], EXAMPLE, &err) == 0, good[i]);
	for (size_t i = 0; i < COUNT(bad); i++) {
		err = (struct err)ERR_INIT;
		snprintf(want, sizeof(want), "%s is not a URL like " EXAMPLE,
		    bad[i]);
		ok(httpurl_check(bad[i], EXAMPLE, &err) == -1, "refused");
		is(err.message, want, "... says so");
	}
	for (size_t i = 0; i < COUNT(secret); i++) {
		err = (struct err)ERR_INIT;
		ok(httpurl_check(secret[i], EXAMPLE, &err) == -1, "a password");
		is(err.message,
		    "a URL with a name or password is not supported",
		    "... is not repeated");
	}
}
