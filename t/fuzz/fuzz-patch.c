/*
 * fuzz-patch: patches that are almost right, on objects of a real API server.
 *
 *	fuzz-patch json|merge|strategic SECONDS SEED CORPUS [KEEP]
 *
 * Nothing reads outside its text (run it with ASan), the target of a patch
 * stays as it was, the result of a patch is JSON, and every refusal has a code
 * and a message. CORPUS has texts that reach other code than those that were
 * recorded, one a line; new ones are appended to KEEP.
 */
#include <stdlib.h>

#include "base/array.h"
#include "fuzz.h"
#include "guided.h"
#include "merge/patch.h"
#include "text/gotext.h"
#include "../unit/kapi/patch-schema.h"
#include "base/hash.h"
#include "base/mem.h"
#include "json/json.h"

static enum patch_type type;
static struct span targets[400];
static size_t target_count;

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

	guided_expect((go.p == NULL) == (patch != NULL), "two readers agree");
	tree_write(&before, target);
	if (p == NULL)
		p = apply(&a, target, patch, &result);
	tree_write(&after, target);
	guided_expect(span_eq(buf_span(&before), buf_span(&after)),
	    "the target stays as it was");
	guided_expect(p == NULL || (p->code >= 400 && p->message.n > 0),
	    "a refusal has a code and a message");
	guided_expect(p != NULL || result != NULL, "or there is a result");
	if (p == NULL) {
		buf_reset(&after);
		tree_write(&after, result);
		again =
		    tree_parse(&a, buf_span(&after), TREE_LIMITS, NULL, NULL);
		guided_expect(again != NULL && tree_equal(again, result),
		    "a result is JSON");
	}
	buf_release(&before);
	buf_release(&after);
	arena_release(&a);
}

static const char *const words[] = {"{", "}", "[", "]", "\"", ",", ":", "null",
    "-1", "1.0", "\"$patch\":\"delete\"", "\"$patch\":\"replace\"",
    "\"$retainKeys\":[\"name\"],", "\"$setElementOrder/containers\":[],",
    "\"$deleteFromPrimitiveList/finalizers\":[\"x\"],", "/-", "/0", "~1",
    "\"from\":\"/spec\",", "copy", "move", "test", "add", "remove", "\\u0000",
    "\xff", "\"\":", "{\"name\":\"a\"},", NULL};

/* A line of patches.jsonl gives a patch, and a target for all patches. */
static void
take_recorded(struct span line)
{
	static const char *const names[] = {[PATCH_JSON] = "json",
	    [PATCH_MERGE] = "merge",
	    [PATCH_STRATEGIC] = "strategic-merge"};
	struct span live = json_get(line, "live");
	struct buf text = BUF_INIT;
	struct span patch = json_string(json_get(line, "patch"), &text);

	if (target_count < COUNT(targets))
		targets[target_count++] =
		    span_make(mem_dup(live.p, live.n), live.n);
	if (json_is(json_get(line, "type"), names[type]))
		guided_add(patch);
	buf_release(&text);
}

int
main(int argc, char **argv)
{
	struct guided g = {.between = "\n", .words = words, .max = 60000};
	int rc;

	if (argc < 5)
		return 100;
	type = strcmp(argv[1], "json") == 0 ? PATCH_JSON
	    : strcmp(argv[1], "merge") == 0 ? PATCH_MERGE
					    : PATCH_STRATEGIC;
	g.seconds = strtod(argv[2], NULL);
	g.seed = strtoul(argv[3], NULL, 10);
	g.corpus = argv[4];
	g.keep = argc > 5 ? argv[5] : NULL;
	fuzz_lines("t/kapi/patches.jsonl", take_recorded);
	rc = guided_run(&g, try);
	for (size_t i = 0; i < target_count; i++)
		free((char *)targets[i].p);
	return rc == 0 ? 0 : 1;
}
