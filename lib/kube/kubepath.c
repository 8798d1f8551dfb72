#include "kube/kubepath.h"

#include <string.h>

static void
add_escaped(struct buf *b, struct span text)
{
	static const char plain[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~";

	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c != '\0' && strchr(plain, c) != NULL)
			buf_addc(b, (char)c);
		else
			buf_addf(b, "%%%02X", c);
	}
}

void
kube_path_add(struct buf *b, struct span segment)
{
	if (b->len == 0 || b->data[b->len - 1] != '/')
		buf_addc(b, '/');
	add_escaped(b, segment);
}

void
kube_query_add(struct buf *b, const char *key, struct span value)
{
	buf_addc(b, b->len > 0 && memchr(b->data, '?', b->len) ? '&' : '?');
	buf_adds(b, key);
	buf_addc(b, '=');
	add_escaped(b, value);
}
