#include "guided.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "process/file.h"

enum { MAP_SIZE = 1 << 16, STUCK_S = 20, CORPUS_MIB = 64 };

static unsigned char seen[MAP_SIZE];
static unsigned fresh; /* new edges in this input */
static uintptr_t last_pc;

static struct buf *entries;
static size_t entry_count;
static struct buf input;
static unsigned long state;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_set_death_callback(void (*fn)(void)) __attribute__((weak));

/* The compiler calls it at every edge. */
__attribute__((no_sanitize_coverage)) void
__sanitizer_cov_trace_pc(void)
{
	uintptr_t pc = (uintptr_t)__builtin_return_address(0);
	size_t at = ((pc >> 1) ^ last_pc) % MAP_SIZE;

	last_pc = (pc >> 2) & 0xff;
	fresh += seen[at] == 0;
	seen[at] = 1;
}

static void
show_input(void)
{
	static const char mark[] = "\n%%\n";
	ssize_t n;

	n = write(2, mark, sizeof(mark) - 1);
	n = write(2, input.data, input.len);
	n = write(2, mark, sizeof(mark) - 1);
	(void)n;
}

static void
stuck(int signo)
{
	static const char what[] = "\nguided: stuck\n";
	ssize_t n = write(2, what, sizeof(what) - 1);

	(void)signo, (void)n;
	show_input();
	_exit(1);
}

void
guided_expect(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "guided: does not hold: %s\n", what);
	show_input();
	_exit(1);
}

static size_t
below(size_t n)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return n == 0 ? 0 : (size_t)(state >> 33) % n;
}

void
guided_add(struct span text)
{
	entries = mem_grow(entries, entry_count, sizeof(*entries));
	entries[entry_count] = (struct buf)BUF_INIT;
	buf_addspan(&entries[entry_count++], text);
}

static const char *
between(const struct guided *g)
{
	return g->between != NULL ? g->between : "\n%%\n";
}

static int
read_corpus(const struct guided *g)
{
	const char *mark = between(g);
	size_t n = strlen(mark);
	struct buf b = BUF_INIT;
	const char *p, *end, *stop;
	struct err err;

	if (file_read(g->corpus, CORPUS_MIB, &b, &err) != 0) {
		fprintf(stderr, "guided: %s\n", err.message);
		return -1;
	}
	stop = buf_str(&b) + b.len;
	for (p = b.data; (end = memmem(p, (size_t)(stop - p), mark, n)) != NULL;
	     p = end + n)
		guided_add(span_make(p, (size_t)(end - p)));
	buf_release(&b);
	return entry_count > 0 ? 0 : -1;
}

static void
splice(size_t at, size_t cut, struct span in)
{
	struct buf b = BUF_INIT;

	buf_add(&b, input.data, at);
	buf_addspan(&b, in);
	buf_add(&b, input.data + at + cut, input.len - at - cut);
	buf_release(&input);
	input = b;
}

/* From here to the end of a word, of a string or of a bracket's inside. */
static size_t
token_at(struct span s, size_t at)
{
	size_t n = 0, depth = 0;

	while (at + n < s.n) {
		char c = s.p[at + n++];

		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && depth > 0)
			depth--;
		if (depth == 0 &&
		    (c == '}' || c == ']' || c == ',' || c == '"' || c == ' ' ||
			c == '/' || c == '&' || c == '\n'))
			break;
	}
	return n;
}

static void
change(const struct guided *g)
{
	size_t at = below(input.len + 1);
	struct span all = buf_span(&input), other;
	size_t words = 0, from;
	char c;

	while (g->words[words] != NULL)
		words++;
	switch (below(8)) {
	case 0:
		if (at < input.len)
			input.data[at] ^= (char)(1u << below(8));
		break;
	case 1:
		c = (char)below(256);
		splice(at, 0, span_make(&c, 1));
		break;
	case 2:
		splice(at, token_at(all, at), SPAN_NONE);
		break;
	case 3:
		splice(at, 0, span_str(g->words[below(words)]));
		break;
	case 4:
		splice(at, token_at(all, at), span_str(g->words[below(words)]));
		break;
	case 5: /* again */
		splice(at, 0, span_make(all.p + at, token_at(all, at)));
		break;
	default: /* of another one */
		other = buf_span(&entries[below(entry_count)]);
		from = below(other.n + 1);
		splice(at, below(2) ? token_at(all, at) : 0,
		    span_make(other.p + from, token_at(other, from)));
	}
	if (input.len > g->max)
		buf_truncate(&input, g->max);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
try(guided_fn *fn)
{
	/* A copy of exactly this size: ASan sees the first byte beyond. */
	char *copy = mem_dup(input.data, input.len);
	char *exact = mem_alloc(input.len);

	if (input.len > 0)
		memcpy(exact, copy, input.len);
	free(copy);
	fresh = 0;
	alarm(STUCK_S);
	fn(span_make(exact, input.len));
	alarm(0);
	free(exact);
}

static void
write_entry(const struct guided *g)
{
	FILE *f;

	f = g->keep == NULL ? NULL : fopen(g->keep, "a");
	if (f == NULL)
		return;
	fwrite(input.data, 1, input.len, f);
	fputs(between(g), f);
	fclose(f);
}

static void
keep(const struct guided *g)
{
	/* An input with what ends an entry cannot be kept. */
	if (input.len == 0 ||
	    memmem(input.data, input.len, between(g), strlen(between(g))) !=
		NULL ||
	    memchr(input.data, '\0', input.len) != NULL)
		return;
	guided_add(buf_span(&input));
	write_entry(g);
}

int
guided_run(const struct guided *g, guided_fn *fn)
{
	double end = now() + g->seconds;
	unsigned long tried = 0;
	size_t first;

	state = g->seed;
	signal(SIGALRM, stuck);
	if (__sanitizer_set_death_callback != NULL)
		__sanitizer_set_death_callback(show_input);
	if (read_corpus(g) != 0)
		return -1;
	first = entry_count;
	for (size_t i = 0; i < first; i++) {
		buf_reset(&input);
		buf_addspan(&input, buf_span(&entries[i]));
		try(fn);
		if (fresh > 0 && g->seconds <= 0)
			write_entry(g);
	}
	while (now() < end) {
		size_t changes = 1 + below(4);

		buf_reset(&input);
		buf_addspan(&input, buf_span(&entries[below(entry_count)]));
		for (size_t i = 0; i < changes; i++)
			change(g);
		try(fn);
		tried++;
		if (fresh > 0)
			keep(g);
	}
	printf("%zu entries, %lu more inputs, %zu of them with new code\n",
	    first, tried, entry_count - first);
	for (size_t i = 0; i < entry_count; i++)
		buf_release(&entries[i]);
	free(entries);
	buf_release(&input);
	return 0;
}
