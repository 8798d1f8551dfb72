#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"
#include "process/file.h"

struct span fuzz_input;
void (*fuzz_more)(struct buf *message);

static unsigned state;
static time_t end;
static unsigned long rounds;

void
fuzz_begin(int argc, char **argv, int at)
{
	end = time(NULL) + (argc > at ? strtol(argv[at], NULL, 10) : 5);
	state = argc > at + 1 ? (unsigned)strtoul(argv[at + 1], NULL, 10) : 1;
}

bool
fuzz_goes_on(void)
{
	if (rounds % 64 == 0 && time(NULL) >= end && rounds > 0)
		return false;
	rounds++;
	return true;
}

void
fuzz_end(const char *what)
{
	printf("%lu %s\n", rounds, what);
}

unsigned
fuzz_below(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return n == 0 ? 0 : (state >> 8) % n;
}

void
fuzz_expect(bool holds, const char *what)
{
	struct buf b = BUF_INIT;

	if (holds)
		return;
	for (size_t i = 0; i < fuzz_input.n; i++)
		if (fuzz_input.p[i] >= ' ' && fuzz_input.p[i] <= '~')
			buf_addc(&b, fuzz_input.p[i]);
		else
			buf_addf(&b, "\\x%02x", (unsigned char)fuzz_input.p[i]);
	if (fuzz_more != NULL)
		fuzz_more(&b);
	fprintf(stderr, "%s: does not hold: %s\nfor %s\n",
	    program_invocation_short_name, what, buf_str(&b));
	abort();
}

void
fuzz_lines(const char *file, void (*take)(struct span line))
{
	struct buf all = BUF_INIT;
	struct err err;
	struct span rest;

	if (file_read(file, 64, &all, &err) != 0) {
		fprintf(stderr, "%s: %s\n", program_invocation_short_name,
		    err.message);
		exit(100);
	}
	for (rest = buf_span(&all); rest.n > 0;) {
		const char *nl = memchr(rest.p, '\n', rest.n);
		size_t n = nl == NULL ? rest.n : (size_t)(nl - rest.p);

		take(span_make(rest.p, n));
		rest = span_skip(rest, n + (nl != NULL));
	}
	buf_release(&all);
}

char *
fuzz_exact(struct span text)
{
	char *exact = mem_alloc(text.n);

	if (text.n > 0)
		memcpy(exact, text.p, text.n);
	return exact;
}

static void
splice(struct buf *b, size_t at, size_t cut, struct span in)
{
	struct buf was = *b;

	*b = (struct buf)BUF_INIT;
	cut = cut < was.len - at ? cut : was.len - at;
	buf_add(b, was.data, at);
	buf_addspan(b, in);
	buf_add(b, was.data + at + cut, was.len - at - cut);
	buf_release(&was);
}

void
fuzz_change(struct buf *b, const char *const *words)
{
	unsigned at = fuzz_below((unsigned)b->len + 1);
	unsigned more = fuzz_below((unsigned)b->len - at), count = 0;
	char byte = (char)fuzz_below(256);

	while (words[count] != NULL)
		count++;
	switch (fuzz_below(8)) {
	case 0:
		splice(b, at, 1, span_make(&byte, 1));
		break;
	case 1:
		splice(b, at, more, SPAN_NONE);
		break;
	case 2:
		splice(b, at, fuzz_below(6), SPAN_NONE);
		break;
	case 3: /* double a piece */
		splice(b, at, 0, span_make(buf_str(b) + at, more));
		break;
	case 4: /* and one before, in place of others */
		splice(b, at, more % 16,
		    span_make(buf_str(b) + at / 2, at - at / 2));
		break;
	default:
		splice(b, at, fuzz_below(2) * (more % 16),
		    span_str(words[fuzz_below(count)]));
	}
}

void
fuzz_flip(struct buf *b, size_t at)
{
	if (fuzz_below(6) == 0)
		buf_truncate(b, at);
	else if (fuzz_below(2) == 0)
		b->data[at] = (char)fuzz_below(256);
	else
		b->data[at] = (char)(b->data[at] ^ (1 << fuzz_below(8)));
}

int
fuzz_texts(int argc, char **argv, const char *const *seeds,
    const char *const *words, void (*try)(struct span text))
{
	unsigned count = 0;

	while (seeds[count] != NULL)
		count++;
	fuzz_begin(argc, argv, 1);
	while (fuzz_goes_on()) {
		struct buf b = BUF_INIT;
		char *exact;

		buf_adds(&b, seeds[fuzz_below(count)]);
		for (unsigned i = fuzz_below(6); i > 0; i--)
			fuzz_change(&b, words);
		exact = fuzz_exact(buf_span(&b));
		fuzz_input = span_make(exact, b.len);
		try(fuzz_input);
		free(exact);
		buf_release(&b);
	}
	fuzz_end("texts");
	return 0;
}
