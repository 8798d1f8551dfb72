/* kubepath: what is escaped, and the marks between. */
#include "kube/kubepath.h"

#include "tap.h"

TEST(kubepath)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "/api/v1");
	kube_path_add(&b, span_str("a b/c%:d"));
	kube_query_add(&b, "limit", span_str("5"));
	kube_query_add(&b, "fieldSelector", span_str("metadata.name=x,y!=z"));
	is(buf_str(&b),
	    "/api/v1/a%20b%2Fc%25%3Ad?limit=5&fieldSelector="
	    "metadata.name%3Dx%2Cy%21%3Dz",
	    "paths and queries are escaped");
	buf_release(&b);
}
