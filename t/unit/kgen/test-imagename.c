#include "imagename.h"

#include "base/buf.h"
#include "tap.h"

#define DIGEST                               \
	"@sha256:0123456789abcdef0123456789" \
	"abcdef0123456789abcdef0123456789abcdef"

enum { NOTHING, IMAGE, REPOSITORY };

static void
test_images(void)
{
	static const struct {
		const char *text;
		int what;
	} cases[] = {
	    {"a", REPOSITORY},
	    {"localhost/memcached-operator", REPOSITORY},
	    {"localhost:5000/a/b", REPOSITORY},
	    {"Registry.example.com/a", REPOSITORY},
	    {"a.b/c__d.e---f_g", REPOSITORY},
	    {"a:1", IMAGE},
	    {"localhost:5000/a:1.0_b-c", IMAGE},
	    {"a" DIGEST, IMAGE},
	    {"r.io/a:1" DIGEST, IMAGE},
	    {"", NOTHING},
	    {"A", NOTHING},
	    {"a/B", NOTHING},
	    {"/a", NOTHING},
	    {"a/", NOTHING},
	    {"a//b", NOTHING},
	    {"a b", NOTHING},
	    {"-a", NOTHING},
	    {"a-", NOTHING},
	    {"a___b", NOTHING},
	    {"a..b", NOTHING},
	    {"a:", NOTHING},
	    {"a:-1", NOTHING},
	    {"r:123456/a", NOTHING},
	    {"r:/a", NOTHING},
	    {"a@sha256:12", NOTHING},
	    {"a@md5:12", NOTHING},
	    {"https://r.io/a", NOTHING},
	    {"a:1:2", NOTHING},
	    {NULL, NOTHING},
	};

	for (size_t i = 0; cases[i].text != NULL; i++) {
		struct span s = span_str(cases[i].text);
		int got = imagename_is_repository(s) ? REPOSITORY
		    : imagename_is_image(s)	     ? IMAGE
						     : NOTHING;

		ok(got == cases[i].what, cases[i].text);
	}
	ok(imagename_is_image(span_str("a")), "a repository is an image");
}

/* head and n times c */
static bool
is_image(const char *head, int c, size_t n)
{
	struct buf b = BUF_INIT;
	bool is;

	buf_adds(&b, head);
	for (size_t i = 0; i < n; i++)
		buf_addc(&b, (char)c);
	is = imagename_is_image(buf_span(&b));
	buf_release(&b);
	return is;
}

static void
test_limits(void)
{
	ok(is_image("", 'a', 255), "a repository of 255 characters");
	ok(!is_image("", 'a', 256), "... and of 256");
	ok(is_image("a:", '1', 128), "a tag of 128 characters");
	ok(!is_image("a:", '1', 129), "... and of 129");
	ok(is_image("a@sha256:", 'f', 64), "a digest of 64 digits");
	ok(!is_image("a@sha256:", 'f', 63), "... of 63");
	ok(!is_image("a@sha256:", 'f', 65), "... of 65");
	ok(!is_image("a@sha256:", 'F', 64), "... of capitals");
}

static void
test_versions(void)
{
	static const char *const good[] = {
	    "0.1.0", "1.2.3-rc.1", "1.2.3+b-1.x", "10.20.30-a+b", NULL};
	static const char *const bad[] = {"", "1", "1.2", "1.2.3.4", "v1.2.3",
	    "01.2.3", "1.2.x", "1.2.3-", "1.2.3+", "1.2.3-a..b", "1.2.3 ",
	    NULL};

	for (size_t i = 0; good[i] != NULL; i++)
		ok(imagename_is_version(span_str(good[i])), good[i]);
	for (size_t i = 0; bad[i] != NULL; i++)
		ok(!imagename_is_version(span_str(bad[i])), bad[i]);
}

int
main(void)
{
	test_images();
	test_limits();
	test_versions();
	return tap_done();
}
