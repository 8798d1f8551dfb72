#include "httpd/local.h"

#include "base/array.h"
#include "tap.h"

static void
test_hosts(void)
{
	static const char *const good[] = {"localhost", "LocalHost:80",
	    "127.0.0.1", "127.0.0.1:8082", "127.255.0.9:1", "[::1]",
	    "[::1]:443"};
	static const char *const bad[] = {"", ":80", "example.com",
	    "localhost.example.com", "127.0.0.1.example.com", "128.0.0.1",
	    "127.1", "0.0.0.0", "[::]", "[::2]:80", "::1", "127.0.0.1:x",
	    "127.0.0.1:80:80", "[::1", "[::1]x", "0127.0.0.1"};

	for (size_t i = 0; i < COUNT(good); i++)
		ok(local_is_host(span_str(good[i])), good[i]);
	for (size_t i = 0; i < COUNT(bad); i++)
		ok(!local_is_host(span_str(bad[i])), bad[i]);
	ok(!local_is_host(SPAN_NONE), "not without a host");
}

static void
test_addresses(void)
{
	ok(local_is_address("127.0.0.1:0"), "an address");
	ok(local_is_address("[::1]:8082"), "... of version 6");
	ok(!local_is_address("127.0.0.1"), "without a port");
	ok(!local_is_address(":8082"), "without a host");
	ok(!local_is_address("0.0.0.0:8082"), "of all machines");
}

int
main(void)
{
	test_hosts();
	test_addresses();
	return tap_done();
}
