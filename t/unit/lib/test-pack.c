/* Random texts, each like others or like none, come out as they went in. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/pack.h"
#include "tap.h"

static unsigned seed = 3;

static unsigned
any(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

static const char *const words[] = {"\"metadata\":{", "\"name\":\"memcached",
    "\",\"namespace\":\"default\",", "\"labels\":{\"app\":\"web\"},",
    "\"terminationMessagePath\":\"/dev/termination-log\",", "[", "]}", "0", "",
    "\"imagePullPolicy\":\"IfNotPresent\",\"resources\":{}"};

static void
add_random(struct buf *b, unsigned n)
{
	while (n-- > 0)
		buf_addc(b, (char)any(256));
}

static void
add_part(struct buf *b)
{
	switch (any(12)) {
	case 0:
		add_random(b, any(40));
		break;
	case 1:
		for (unsigned n = any(600); n > 0; n--)
			buf_addc(b, 'x');
		break;
	case 2:
		buf_addf(b, "%u", any(1000000));
		break;
	default:
		buf_adds(b, words[any(sizeof(words) / sizeof(*words))]);
	}
}

static void
add_text(struct buf *b)
{
	unsigned parts = any(8) == 0 ? any(4) : any(40);

	if (any(500) == 0)
		parts = 4000;
	if (any(500) == 0)
		add_random(b, 70000);
	while (parts-- > 0)
		add_part(b);
}

enum { TEXTS = 3000 };
static struct buf texts[TEXTS], packed[TEXTS];

/* Text i as it comes out, in memory of exactly its size. */
static bool
comes_out(const struct pack *p, int i)
{
	size_t n = texts[i].len;
	char *to = mem_alloc(n), *in = mem_alloc(packed[i].len);
	bool good;

	memcpy(in, packed[i].data, packed[i].len);
	pack_open(p, span_make(in, packed[i].len), to, n);
	good = n == 0 || memcmp(to, texts[i].data, n) == 0;
	free(to);
	free(in);
	return good;
}

TEST(random_texts)
{
	struct pack p = {0};
	size_t bad = 0, sample_max = 0;

	for (int i = 0; i < TEXTS; i++) {
		char *exact;

		add_text(&texts[i]);
		exact = mem_dup(texts[i].data, texts[i].len);
		pack_text(&p, span_make(exact, texts[i].len), &packed[i]);
		free(exact);
		bad += !comes_out(&p, i);
		if (p.sample.len > sample_max)
			sample_max = p.sample.len;
	}
	ok(bad == 0, "random texts come out as they went in");
	for (int i = 0; i < TEXTS; i++)
		bad += !comes_out(&p, i);
	ok(bad == 0, "... and after the sample has grown");
	ok(sample_max > 20000 && sample_max <= PACK_SAMPLE_MAX,
	    "the sample grows up to its limit");
	for (int i = 0; i < TEXTS; i++) {
		buf_release(&texts[i]);
		buf_release(&packed[i]);
	}
	pack_release(&p);
}

/* A template of which only the names and a uid differ. */
TEST(similar_texts)
{
	struct pack p = {0};
	size_t whole = 0, small = 0;

	for (int i = 0; i < 1000; i++) {
		struct buf text = BUF_INIT, out = BUF_INIT;

		buf_addf(&text, "{\"name\":\"m-%05d\",\"uid\":\"%08x\",", i,
		    any(1u << 24));
		for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++)
			buf_addf(&text, "%s%d", words[w], w == 3 ? i : 0);
		pack_text(&p, buf_span(&text), &out);
		if (i >= 100) {
			whole += text.len;
			small += out.len;
		}
		buf_release(&text);
		buf_release(&out);
	}
	printf("# %zu bytes to %zu\n", whole, small);
	ok(small * 6 < whole, "similar texts are packed to less than a sixth");
	ok(p.sample.len < 2000, "... with a small sample");
	pack_release(&p);
}

TEST(few_texts)
{
	struct pack p = {0};
	struct buf text = BUF_INIT, out = BUF_INIT;

	add_random(&text, 3000);
	pack_text(&p, buf_span(&text), &out);
	ok(p.sample.len == 0, "one text alone has no sample");
	ok(out.len < text.len + 32, "what is like nothing grows by little");
	buf_release(&text);
	buf_release(&out);
	pack_release(&p);
}
