/*
 * fuzz-patch: patches that are almost right, on objects of a real API server.
 *
 *	fuzz-patch json|merge|strategic [SECONDS [SEED [CORPUS]]]
 *
 * Nothing reads outside its text (run it with ASan), the target of a patch
 * stays as it was, the result of a patch is JSON, and every refusal has a code
 * and a message. Texts that reach new code are kept: those of CORPUS (one a
 * line) come first, and it is rewritten with the new ones.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "merge/patch.h"
#include "text/gotext.h"
#include "../unit/kapi/patch-schema.h"
#include "base/hash.h"
#include "base/mem.h"
#include "json/json.h"
#include "process/file.h"

static struct span input;
static enum patch_type type;
static struct span targets[400];
static size_t target_count;
static struct span pool[100000];
static size_t pool_count, kept_from;
static unsigned state;

/* Which code was reached, by pairs of addresses. */
static unsigned char reached[1 << 16], known[1 << 16];

void __sanitizer_cov_trace_pc(void);
__attribute__((no_sanitize_coverage, no_sanitize("address", "undefined"))) void
__sanitizer_cov_trace_pc(void)
{
	static uintptr_t before;
	uintptr_t at = (uintptr_t)__builtin_return_address(0);

	reached[(at ^ before) & 0xffff] = 1;
	before = at >> 1;
}

__attribute__((no_sanitize_coverage)) static bool
new_code(void)
{
	bool new = false;

	for (size_t i = 0; i < sizeof(known); i++)
		if (reached[i] && !known[i])
			new = known[i] = 1;
	return new;
}

/* Stand in for resource.c and decode.c. */
struct span resource_name(struct arena *a, const struct resource *r);
struct span
resource_name(struct arena *a, const struct resource *r)
{
	(void)a;
	(void)r;
	return SPAN_NONE;
}

void
decode_warning_add(struct warnings *w, struct span warning)
{
	(void)warning;
	w->n++;
}

static void
expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz-patch: does not hold: %s\nfor %.*s\n", what,
	    SPAN_ARG(input));
	abort();
}

static struct problem *
apply(struct arena *a, const struct node *target, const struct node *patch,
    struct node **result)
{
	switch (type) {
	case PATCH_JSON:
		return patch_json(a, target, patch, result);
	case PATCH_MERGE:
		return patch_merge(a, target, patch, result);
	default:
		return patch_strategic(
		    a, &deployment_type, target, patch, result);
	}
}

static void
try(struct span text)
{
	struct arena a = ARENA_INIT;
	struct span of = targets[hash_text(text) % target_count];
	struct node *target = tree_parse(&a, of, TREE_LIMITS, NULL, NULL);
	struct warnings strict = {.arena = &a};
	struct node *patch, *result = NULL, *again;
	struct buf before = BUF_INIT, after = BUF_INIT;
	struct span go = gotext_json_error(&a, text);
	enum field_validation v = text.n % 3;
	struct problem *p = patch_parse(&a, type, text, v, &strict, &patch);

	expect((go.p == NULL) == (patch != NULL), "two readers agree");
	tree_write(&before, target);
	if (p == NULL)
		p = apply(&a, target, patch, &result);
	tree_write(&after, target);
	expect(span_eq(buf_span(&before), buf_span(&after)),
	    "the target stays as it was");
	expect(p == NULL || (p->code >= 400 && p->message.n > 0),
	    "a refusal has a code and a message");
	expect(p != NULL || result != NULL, "or there is a result");
	if (p == NULL) {
		buf_reset(&after);
		tree_write(&after, result);
		again =
		    tree_parse(&a, buf_span(&after), TREE_LIMITS, NULL, NULL);
		expect(again != NULL && tree_equal(again, result),
		    "a result is JSON");
	}
	buf_release(&before);
	buf_release(&after);
	arena_release(&a);
}

static unsigned
below(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

static const char *const words[] = {"{", "}", "[", "]", "\"", ",", ":", "null",
    "-1", "1.0", "\"$patch\":\"delete\"", "\"$patch\":\"replace\"",
    "\"$retainKeys\":[\"name\"],", "\"$setElementOrder/containers\":[],",
    "\"$deleteFromPrimitiveList/finalizers\":[\"x\"],", "/-", "/0", "~1",
    "\"from\":\"/spec\",", "copy", "move", "test", "add", "remove", "\\u0000",
    "\xff", "\"\":", "{\"name\":\"a\"},"};

/* Some bytes from at on are replaced: by a byte, a word, or a piece of another
 * text. */
static void
mutate(struct buf *b)
{
	unsigned at = below((unsigned)b->len + 1);
	unsigned less = below((unsigned)(b->len - at) % 32 + 1);
	size_t tail_len = b->len - at - less;
	char *tail = mem_dup(b->data + at + less, tail_len);
	struct span other = pool[below((unsigned)pool_count)];
	unsigned from = below((unsigned)other.n + 1);
	unsigned len = below((unsigned)(other.n - from) % 64 + 1);

	buf_truncate(b, at);
	switch (below(5)) {
	case 0:
		buf_addc(b, (char)below(256));
		break;
	case 1:
	case 2:
		buf_add(b, other.p + from, len);
		break;
	case 3:
		break;
	default:
		buf_adds(b, words[below(COUNT(words))]);
	}
	buf_add(b, tail, tail_len);
	free(tail);
}

/* of exactly this size: ASan sees the first byte beyond */
static void
run(const char *p, size_t n)
{
	char *exact = mem_alloc(n);

	if (n > 0)
		memcpy(exact, p, n);
	input = span_make(exact, n);
	memset(reached, 0, sizeof(reached));
	try(input);
	if (!new_code() || pool_count == COUNT(pool) ||
	    memchr(exact, '\n', n) != NULL) {
		free(exact);
		return;
	}
	pool[pool_count++] = input;
}

static void
read_lines(const char *path, void (*take)(struct span line))
{
	struct buf all = BUF_INIT;
	struct err err;
	struct span rest;

	if (file_read(path, 64, &all, &err) != 0) {
		fprintf(stderr, "fuzz-patch: %s\n", err.message);
		exit(100);
	}
	for (rest = buf_span(&all); rest.n > 0;) {
		const char *end = memchr(rest.p, '\n', rest.n);
		size_t n = end == NULL ? rest.n : (size_t)(end - rest.p);

		take(span_make(rest.p, n));
		rest = span_make(rest.p + n + 1, rest.n - n - (end != NULL));
	}
	buf_release(&all);
}

/* A line of patches.jsonl gives a patch, and a target for all patches. */
static void
take_recorded(struct span line)
{
	static const char *const names[] = {"json", "merge", "strategic-merge"};
	struct span live = json_get(line, "live");
	struct buf text = BUF_INIT;
	struct span patch = json_string(json_get(line, "patch"), &text);

	if (target_count < COUNT(targets))
		targets[target_count++] =
		    span_make(mem_dup(live.p, live.n), live.n);
	if (json_is(json_get(line, "type"), names[type]))
		pool[pool_count++] =
		    span_make(mem_dup(patch.p, patch.n), patch.n);
	buf_release(&text);
}

static void
take_kept(struct span line)
{
	run(line.p, line.n);
}

static void
keep(const char *path)
{
	FILE *f = fopen(path, "w");

	if (f == NULL)
		exit(111);
	for (size_t i = kept_from; i < pool_count; i++) {
		fwrite(pool[i].p, 1, pool[i].n, f);
		fputc('\n', f);
	}
	if (fclose(f) != 0)
		exit(111);
}

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "json";
	long seconds = argc > 2 ? strtol(argv[2], NULL, 10) : 10;
	time_t end = time(NULL) + seconds;
	unsigned long runs = 0;

	state = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
	type = strcmp(name, "json") == 0 ? PATCH_JSON
	    : strcmp(name, "merge") == 0 ? PATCH_MERGE
					 : PATCH_STRATEGIC;
	read_lines("t/kapi/patches.jsonl", take_recorded);
	kept_from = pool_count;
	for (size_t i = 0; i < kept_from; i++) {
		input = pool[i];
		try(input);
	}
	new_code();
	if (argc > 4)
		read_lines(argv[4], take_kept);
	while (runs % 64 != 0 || time(NULL) < end) {
		struct span from = pool[below((unsigned)pool_count)];
		struct buf b = BUF_INIT;

		buf_add(&b, from.p, from.n);
		for (unsigned i = below(4) + 1; i > 0; i--)
			mutate(&b);
		run(b.data, b.len);
		buf_release(&b);
		runs++;
	}
	if (argc > 4)
		keep(argv[4]);
	printf("%lu patches, %zu kept\n", runs, pool_count - kept_from);
	for (size_t i = 0; i < pool_count; i++)
		free((char *)pool[i].p);
	for (size_t i = 0; i < target_count; i++)
		free((char *)targets[i].p);
	return 0;
}
