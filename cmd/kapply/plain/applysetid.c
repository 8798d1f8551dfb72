#include "plain/applysetid.h"

#include "value/base64.h"
#include "value/digest.h"

void
applysetid_add(struct buf *b, struct span name, struct span ns,
    struct span kind, struct span group)
{
	unsigned char sum[DIGEST_SIZE];
	struct buf text = BUF_INIT;

	buf_addspan(&text, name);
	buf_addc(&text, '.');
	buf_addspan(&text, ns);
	buf_addc(&text, '.');
	buf_addspan(&text, kind);
	buf_addc(&text, '.');
	buf_addspan(&text, group);
	digest_sha256(buf_span(&text), sum);
	buf_adds(b, "applyset-");
	base64_add_url(b, span_make((const char *)sum, sizeof(sum)));
	buf_adds(b, "-v1");
	buf_release(&text);
}
