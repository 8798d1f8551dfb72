#include "httpd/local.h"

#include "base/array.h"
#include "tap.h"

TEST(hosts)
{
	static const char *const good[] = {"localhost", "LocalHost:80",
	    "127.0.0.1", "127.0.0.1:8082", "127.255.0.9:1", "[::1]",
	    "[::1]:443", "[0:0::1]:443", "[::ffff:127.0.0.1]", "localhost.",
	    "LOCALHOST.:80", "localhost:", "127.0.0.1:", "[::1]:"};
	static const char *const bad[] = {"", ":80", "example.com",
	    "localhost.example.com", "127.0.0.1.example.com", "128.0.0.1",
	    "127.1", "0.0.0.0", "[::]", "[::2]:80", "::1", "127.0.0.1:x",
	    "127.0.0.1:80:80", "[::1", "[::1]x", "0127.0.0.1", "[localhost]",
	    "[127.0.0.1]", "[]", "[", "]", "localhost]", "[::ffff:10.0.0.1]",
	    ".", ":", "localhost..", "localhost.example.", "[::1].", "[::1.]",
	    "localhost.:x"};

	for (size_t i = 0; i < COUNT(good); i++)
		ok(local_is_host(span_str(good[i])), good[i]);
	for (size_t i = 0; i < COUNT(bad); i++)
		ok(!local_is_host(span_str(bad[i])), bad[i]);
	ok(!local_is_host(SPAN_NONE), "not without a host");
}

TEST(addresses)
{
	ok(local_is_address("127.0.0.1:0"), "an address");
	ok(local_is_address("[::1]:8082"), "... of version 6");
	ok(!local_is_address("127.0.0.1"), "without a port");
	ok(!local_is_address(":8082"), "without a host");
	ok(!local_is_address("0.0.0.0:8082"), "of all machines");
}

struct judged {
	const char *name, *headers[5]; /* name, value, name, value */
	enum local_verdict verdict;
	const char *culprit;
};

/* Whole servers: t/0216-kapi-pages.sh. */
TEST(requests)
{
	static const struct judged all[] = {
	    {NULL, {NULL}, LOCAL_MEANT, ""},
	    {NULL, {"origin", "null"}, LOCAL_OTHER_PAGE, "null"},
	    {NULL, {"host", "localhost"}, LOCAL_MEANT, ""},
	    {NULL, {"host", "here"}, LOCAL_OTHER_HOST, "here"},
	    {"Here", {"host", "hERE:80"}, LOCAL_MEANT, ""},
	    {"fd00::1", {"host", "[fd00::1]:80"}, LOCAL_MEANT, ""},
	    {"Here", {"host", "here."}, LOCAL_MEANT, ""},
	    {"", {"host", ""}, LOCAL_MEANT, ""},
	    {"here.", {"host", "here.:1"}, LOCAL_MEANT, ""},
	    {"", {"host", "."}, LOCAL_OTHER_HOST, "."},
	    {NULL, {"host", "", "host", "a"}, LOCAL_OTHER_HOST, "a"},
	    {NULL, {"host", "localhost", "host", "a"}, LOCAL_OTHER_HOST, "a"},
	    {NULL, {"host", "a", "host", "localhost"}, LOCAL_OTHER_HOST, "a"},
	    {NULL, {"host", "[::1]", "origin", "null"}, LOCAL_OTHER_PAGE,
		"null"},
	    {"here", {"host", "here", "origin", "https://here:1"}, LOCAL_MEANT,
		""},
	    {NULL, {"host", "[::1]", "sec-fetch-site", "cross-site"},
		LOCAL_OTHER_PAGE, "cross-site"},
	};

	for (size_t i = 0; i < COUNT(all); i++) {
		const struct judged *j = &all[i];
		struct httpd_header headers[2];
		struct httpd_request r = {.headers = headers};
		struct span culprit;

		for (size_t k = 0; k < 4 && j->headers[k] != NULL; k += 2)
			headers[r.header_count++] =
			    (struct httpd_header){span_str(j->headers[k]),
				span_str(j->headers[k + 1])};
		ok(local_judge(&r, span_str(j->name), &culprit) == j->verdict,
		    "a request");
		ok(span_is(culprit, j->culprit), "... its culprit");
	}
}
