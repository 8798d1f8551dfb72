/*
 * local: whether a server is reached from this machine only, and whether a
 * client means it. A page of another site that a browser shows reaches such a
 * server as well:
 *
 * - its name may be resolved to 127.0.0.1 (DNS rebinding): then the browser
 *   asks us with that name as the host, and lets the page read the answer;
 * - a form, a fetch without CORS, a WebSocket or an image may be sent to
 *   127.0.0.1 by any page. The browser says whose page that is (Origin), or at
 *   least that it is another site's (Sec-Fetch-Site, where there is no Origin).
 *   Sources: Fetch, "Origin header"; Fetch Metadata Request Headers; RFC 6455,
 *   section 10.2.
 *
 * A page that another server of this machine serves is local: what runs here
 * reaches us without a browser, too.
 */
#ifndef LOCAL_H
#define LOCAL_H

#include <stdbool.h>

#include "base/span.h"
#include "httpd/httpd.h"

/* "HOST:PORT", as httpd_new listens: 127.0.0.0/8, [::1] or localhost. */
bool local_is_address(const char *address);
/* Whether a Host header, with or without a port, has such an address. */
bool local_is_host(struct span host);

enum local_verdict {
	LOCAL_MEANT,
	LOCAL_OTHER_HOST, /* a Host; of HTTP/2 also :authority */
	LOCAL_OTHER_PAGE  /* an Origin, or else Sec-Fetch-Site */
};
/*
 * Whether a server that asks for no credential may answer. A request without a
 * Host (HTTP/1.0) does not come from a browser: browsers always send a Host.
 * name: one more host, without a port, that counts as local; or SPAN_NONE.
 * *culprit is the value that is not local, if there is one.
 */
enum local_verdict local_judge(
    const struct httpd_request *r, struct span name, struct span *culprit);

#endif
