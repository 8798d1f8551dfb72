/* sendq: order, sharing and the rest. */
#include "httpd/sendq.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "tap.h"

static struct text *
text_of(size_t n, char c)
{
	char *p = malloc(n);
	struct text *t;

	memset(p, c, n);
	t = text_make(span_make(p, n));
	free(p);
	return t;
}

TEST(shared)
{
	struct sendq q = {0}, other = {0};
	struct text *large = text_of(1000, 'L'), *small = text_of(10, 's');
	struct iovec iov[8];
	char copy[30];

	sendq_add(&q, "head", 4);
	sendq_text(&q, large);
	sendq_text(&other, large);
	sendq_text(&q, small);
	sendq_add(&q, "tail", 4);
	ok(q.bytes == 1018, "as long as its pieces");
	ok(large->refs == 3 && small->refs == 1,
	    "a large text is shared, a small one copied");
	ok(sendq_iov(&q, iov, 8) == 3, "three pieces");
	ok(iov[1].iov_base == large->p && iov[1].iov_len == 1000,
	    "... the text where it is");
	ok(sendq_iov(&q, iov, 2) == 2, "... or as many as are asked for");
	sendq_drop(&q, 1002);
	ok(q.bytes == 16 && large->refs == 3, "part of the text is sent");
	ok(sendq_copy(&q, copy, sizeof(copy)) == 16 &&
		memcmp(copy, "LLsssssssssstail", 16) == 0,
	    "... what is left comes in order");
	sendq_drop(&q, 3);
	ok(large->refs == 2, "... and all of it");
	sendq_move(&q, &other, 600);
	ok(q.bytes == 13 + 600 && other.bytes == 400 && large->refs == 3,
	    "moved in part");
	sendq_drop(&q, 613);
	ok(q.bytes == 0 && large->refs == 2, "empty");
	sendq_release(&q);
	sendq_release(&other);
	ok(large->refs == 1, "released");
	text_unref(large);
	text_unref(small);
}

/* Compared with a plain buffer, in a few thousand steps. */
TEST(random)
{
	struct sendq q = {0}, staged = {0};
	struct buf want = BUF_INIT;
	struct text *texts[2] = {text_of(700, 'a'), text_of(3000, 'b')};
	unsigned long x = 1;
	int wrong = 0;
	static char got[1 << 20];

	for (int i = 0; i < 20000; i++) {
		size_t k;

		x = x * 6364136223846793005ul + 1442695040888963407ul;
		k = (size_t)(x >> 33) % 1000;
		if (k < 300) {
			sendq_add(&q, texts[1]->p, k);
			buf_add(&want, texts[1]->p, k);
		} else if (k < 400) {
			sendq_text(&staged, texts[k & 1]);
			sendq_add(&staged, "x", 1);
			buf_add(&want, texts[k & 1]->p, texts[k & 1]->n);
			buf_add(&want, "x", 1);
			sendq_move(&q, &staged, staged.bytes / 2);
			sendq_move(&q, &staged, staged.bytes);
		} else {
			size_t n = k * 2 < q.bytes ? k * 2 : q.bytes;

			sendq_drop(&q, n);
			buf_consume(&want, n);
		}
		if (q.bytes != want.len || want.len > sizeof(got) ||
		    sendq_copy(&q, got, sizeof(got)) != want.len ||
		    (want.len > 0 && memcmp(got, want.data, want.len) != 0))
			wrong++;
	}
	ok(wrong == 0, "as a buffer, after each of 20,000 steps");
	sendq_release(&q);
	sendq_release(&staged);
	buf_release(&want);
	text_unref(texts[0]);
	text_unref(texts[1]);
}
