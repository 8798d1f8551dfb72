#include "document/document.h"

#include <stdlib.h>

#include "reply/pretty.h"
#include "reply/reply.h"
#include "value/digest.h"

bool
document_fresh(const struct document *d, const struct registry *g)
{
	return d->text != NULL && d->generation == resource_generation(g);
}

void
document_set(struct document *d, const struct registry *g, struct buf *b)
{
	static const char hex[] = "0123456789ABCDEF";
	unsigned char digest[DIGEST_SIZE];
	char *p = d->etag;

	text_unref(d->text);
	d->text = text_make(buf_span(b));
	d->generation = resource_generation(g);
	digest_sha256(text_span(d->text), digest);
	*p++ = '"';
	for (size_t i = 0; i < DIGEST_SIZE; i++) {
		*p++ = hex[digest[i] >> 4];
		*p++ = hex[digest[i] & 15];
	}
	*p++ = '"';
	*p = '\0';
	buf_release(b);
}

void
document_release(struct document *d)
{
	text_unref(d->text);
	d->text = NULL;
}

void
document_reply(struct request *r, const struct document *d,
    const struct document_reply *how)
{
	struct httpd_header extra[4];
	struct buf pretty = BUF_INIT;
	struct text *t = text_ref(d->text);
	size_t n = 0;
	int code = 200;

	extra[n++] = (struct httpd_header){span_str("etag"), span_str(d->etag)};
	extra[n++] =
	    (struct httpd_header){span_str("vary"), span_str("Accept")};
	if (how->cache_control != NULL)
		extra[n++] = (struct httpd_header){
		    span_str("cache-control"), span_str(how->cache_control)};
	if (how->expires.p != NULL)
		extra[n++] =
		    (struct httpd_header){span_str("expires"), how->expires};
	if (span_is(httpd_header(r->http, "if-none-match"), d->etag)) {
		code = 304;
		text_unref(t);
		t = NULL;
	} else if (how->pretty && pretty_is_wanted(r)) {
		pretty_json(&pretty, text_span(t));
		text_unref(t);
		t = text_make(buf_span(&pretty));
	}
	reply_with(r, code, how->content_type, extra, n, t);
	text_unref(t);
	buf_release(&pretty);
}
