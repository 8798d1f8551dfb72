#include "set/setorder.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/mem.h"
#include "body.h"
#include "tap.h"

#define PRIMARY                                                        \
	"\"primary\":{\"apiVersion\":\"e.com/v1\",\"kind\":\"Thing\"," \
	"\"namespace\":\"d\",\"name\":\"t\",\"uid\":\"u1\","           \
	"\"resourceVersion\":\"5\"}"

static struct set *
parse(const char *text)
{
	struct err err = ERR_INIT;
	struct set *s;

	if (set_read(&s, span_str(text), 1, false, &err) != 0)
		printf("# %s\n", err.message);
	return s;
}

static void
refused(const char *text, const char *message)
{
	struct err err = ERR_INIT;
	struct set *s;

	ok(set_read(&s, span_str(text), 1, false, &err) != 0 && s == NULL,
	    "refused");
	is(err.message, message, message);
	set_free(s);
}

static void
test_refusals(void)
{
	refused("{}", "it has no apiVersion");
	refused("{\"apiVersion\":\"v1\"}", "it has no kind");
	refused("{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}",
	    "it has no metadata.name");
	refused("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{"
		"\"name\":\"..\"}}",
	    "it has the name \"..\": a name is not . or .. and has no /, % or "
	    "NUL");
	refused("7", "it is not an object");
	refused("{\"reconcile\":{}}", "reconcile has no primary");
	refused("{\"reconcile\":{\"primary\":{\"apiVersion\":\"v1\","
		"\"kind\":\"T\"}}}",
	    "reconcile.primary has no name");
	refused("{\"items\":[1],\"reconcile\":{" PRIMARY "}}",
	    "items[0] is not an object");
	refused("{\"reconcile\":{" PRIMARY ",\"delete\":[{}]}}",
	    "reconcile.delete[0] has no apiVersion");
	refused("{\"reconcile\":{" PRIMARY ",\"refused\":[{}]}}",
	    "reconcile.refused[0] has no item");

	refused("{\"kind\":\"List\",\"items\":{}}",
	    "a List whose items is not a list");
	refused("{\"kind\":\"List\",\"items\":[],\"reconcile\":7}",
	    "a List whose reconcile is not an object");
	refused("{\"items\":{},\"reconcile\":{" PRIMARY "}}",
	    "items is not a list");
	refused("{\"reconcile\":{" PRIMARY ",\"known\":[]}}",
	    "reconcile.known is not an object");
	refused("{\"reconcile\":{" PRIMARY ",\"once\":{}}}",
	    "reconcile.once is not a list");
	refused("{\"reconcile\":{" PRIMARY ",\"vacated\":{}}}",
	    "reconcile.vacated is not a list");
	refused("{\"reconcile\":{" PRIMARY ",\"independent\":{}}}",
	    "reconcile.independent is not a list");
	refused("{\"reconcile\":{" PRIMARY ",\"after\":[]}}",
	    "reconcile.after is not an object");
	refused("{\"reconcile\":{" PRIMARY ",\"after\":{\"A/b/c\":[1]}}}",
	    "reconcile.after[\"A/b/c\"] is not a list of texts");
	refused("{\"reconcile\":{" PRIMARY ",\"delete\":{}}}",
	    "reconcile.delete is not a list");
	refused("{\"reconcile\":{" PRIMARY ",\"refused\":\"x\"}}",
	    "reconcile.refused is not a list");
	refused("{\"reconcile\":{" PRIMARY ",\"events\":{}}}",
	    "reconcile.events is not a list");
	refused("{\"reconcile\":{" PRIMARY ",\"loops\":[]}}",
	    "reconcile.loops is not an object");
	refused("{\"reconcile\":{" PRIMARY ",\"adopt\":{\"label\":\"a\"}}}",
	    "reconcile.adopt is not text");
	refused("{\"reconcile\":{" PRIMARY ",\"status\":7}}",
	    "reconcile.status is not an object");
	refused("{\"reconcile\":{" PRIMARY ",\"onError\":7}}",
	    "reconcile.onError is not an object");
	refused("{\"reconcile\":{" PRIMARY ",\"finalizers\":[]}}",
	    "reconcile.finalizers is not an object");
	refused("{\"reconcile\":{" PRIMARY ",\"finalizers\":{\"add\":\"x\"}}}",
	    "reconcile.finalizers.add is not a list");
	refused("{\"reconcile\":{" PRIMARY ",\"finalizers\":{\"remove\":{}}}}",
	    "reconcile.finalizers.remove is not a list");
}

static void
test_order(void)
{
	struct set *s = parse(
	    "{\"items\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
	    "\"metadata\":{\"name\":\"a\",\"namespace\":\"d\"}},"
	    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{"
	    "\"name\":\"b\",\"namespace\":\"d\"}},"
	    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{"
	    "\"name\":\"c\"}},"
	    "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{"
	    "\"name\":\"e\",\"namespace\":\"d\"}}],"
	    "\"reconcile\":{" PRIMARY ",\"known\":{\"Namespace//c\":null,"
	    "\"Secret/d/b\":\"u2\"},\"once\":[\"Service/d/e\"],"
	    "\"delete\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
	    "\"namespace\":\"d\",\"name\":\"p\",\"uid\":\"u3\"}],"
	    "\"finalizers\":{\"add\":[\"a/b\"],\"remove\":[\"c/d\"]},"
	    "\"status\":{\"a\":1},\"manager\":\"m\","
	    "\"maxConcurrentReconciles\":3,\"guardStatus\":true,"
	    "\"loops\":{\"Service/d/e\":\".spec\"},"
	    "\"refused\":[{\"item\":\"ConfigMap/d/x\",\"message\":\"no\"}]}}");
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < s->count; i++)
		buf_addf(&b, "%d %s\n", s->items[i].phase, s->items[i].key);
	is(buf_str(&b),
	    "0 Service/d/e\n1 Thing.e.com/d/t\n2 Namespace//c\n"
	    "3 Secret/d/b\n3 ConfigMap/d/x\n4 Deployment.apps/d/a\n"
	    "4 Service/d/e\n5 Pod/d/p\n7 Thing.e.com/d/t\n",
	    "phases, and the order of the line within one");
	ok(s->items[2].known == KNOWN_ABSENT, "known: null");
	ok(s->items[3].known == KNOWN_UID &&
		span_is(s->items[3].known_uid, "u2"),
	    "known: a uid");
	ok(s->items[5].known == KNOWN_NOTHING, "known: not said");
	ok(s->items[6].once && s->items[6].step == STEP_PRIMARY, "once");
	ok(s->items[4].state == ITEM_REFUSED, "refused");
	is(s->items[4].failure.error, "ConfigMap/d/x refused: no",
	    "... with its word");
	is(s->key, "Thing.e.com/d/t", "the key");
	ok(s->max_concurrent == 3, "maxConcurrentReconciles");
	ok(s->guard_status, "guardStatus");
	buf_release(&b);
	set_free(s);
}

/* The items of `after` are in the order of the line, but for what they are
 * after; the phase of each is the last one of those. */
static void
test_after(void)
{
#define OBJECT(version, kind, name)                        \
	"{\"apiVersion\":\"" version "\",\"kind\":\"" kind \
	"\",\"metadata\":{\"namespace\":\"d\",\"name\":\"" name "\"}}"
	struct set *s = parse("{\"items\":[" OBJECT(
	    "v1", "Secret", "a") "," OBJECT("v1", "Secret",
	    "b") "," OBJECT("apps/v1", "Deployment", "c") "," OBJECT("apps/v1",
	    "Deployment", "e") "," OBJECT("v1", "ConfigMap",
	    "f") "],"
		 "\"reconcile\":{" PRIMARY ",\"after\":{"
		 "\"Secret/d/a\":[\"ConfigMap/d/f\",\"Pod/d/x\"],"
		 "\"Deployment.apps/d/c\":[\"Deployment.apps/d/e\"],"
		 "\"ConfigMap/d/f\":[\"Deployment.apps/d/c\"],"
		 "\"Pod/d/x\":[\"Secret/d/b\"]},"
		 "\"release\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
		 "\"metadata\":{\"namespace\":\"d\",\"name\":\"g\","
		 "\"uid\":\"u\"}}]}}");
#undef OBJECT
	const struct item **causes;
	struct setorder_tally t;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < s->count; i++) {
		buf_addf(&b, "%d %s", s->items[i].phase, s->items[i].key);
		for (size_t n = 0; n < s->items[i].after.count; n++)
			buf_addf(
			    &b, " > %s", s->items[s->items[i].after.at[n]].key);
		buf_addc(&b, '\n');
	}
	is(buf_str(&b),
	    "3 Secret/d/b\n4 Deployment.apps/d/e\n"
	    "4 Deployment.apps/d/c > Deployment.apps/d/e\n"
	    "4 ConfigMap/d/f > Deployment.apps/d/c\n"
	    "4 Secret/d/a > ConfigMap/d/f\n5 ConfigMap/d/g\n",
	    "each is behind what it is after, in that phase at least");
	s->phase = PHASE_REST;
	t = setorder_count(s);
	ok(t.waiting == 1 && t.blocked == 3, "the others wait");
	s->items[1].state = ITEM_BACKOFF;
	causes = setorder_causes(s);
	ok(causes[4] == NULL, "... for one that may still be done");
	free(causes);
	s->items[1].state = ITEM_OVERDUE;
	causes = setorder_causes(s);
	ok(causes[1] == NULL && causes[2] == &s->items[1] &&
		causes[4] == &s->items[1],
	    "... or for one that has failed");
	free(causes);
	s->items[1].state = ITEM_DONE;
	t = setorder_count(s);
	ok(t.waiting == 1 && t.blocked == 2, "one after the other");
	buf_release(&b);
	set_free(s);
}

/* Items that move when a phase is not done. */
static void
test_moves(void)
{
	struct set *s =
	    parse("{\"items\":["
		  "{\"apiVersion\":\"v1\",\"kind\":\"Secret\","
		  "\"metadata\":{\"name\":\"a\"}},"
		  "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
		  "\"metadata\":{\"name\":\"b\"}},"
		  "{\"apiVersion\":\"v1\",\"kind\":\"Service\","
		  "\"metadata\":{\"name\":\"c\"}}],"
		  "\"reconcile\":{" PRIMARY ",\"independent\":["
		  "\"ConfigMap//b\",\"Service//c\"],"
		  "\"delete\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
		  "\"name\":\"p\",\"uid\":\"u\",\"always\":true}]}}");
	struct item *secret = &s->items[0], *map = &s->items[1],
		    *service = &s->items[2], *pod = &s->items[3];
	struct setorder_tally t;

	s->phase = PHASE_SUPPORT;
	secret->state = map->state = ITEM_BACKOFF;
	t = setorder_count(s);
	ok(!setorder_move(s, &t), "nothing, while one may still be done");
	secret->state = ITEM_FAILED;
	map->state = ITEM_DONE;
	t = setorder_count(s);
	ok(setorder_move(s, &t) && service->phase == PHASE_SUPPORT &&
		pod->phase == PHASE_SUPPORT,
	    "what is independent comes to what has failed");
	t = setorder_count(s);
	ok(t.waiting == 2, "... to be sent");
	service->state = pod->state = ITEM_FAILED;
	t = setorder_count(s);
	ok(!setorder_move(s, &t), "... once");
	secret->state = ITEM_DONE;
	t = setorder_count(s);
	ok(setorder_move(s, &t) && service->phase == PHASE_REST &&
		pod->phase == PHASE_DELETE,
	    "... and goes on when nothing else is left");
	s->phase = PHASE_REST;
	t = setorder_count(s);
	ok(!t.waiting && setorder_move(s, &t) && pod->phase == PHASE_REST,
	    "what is always deleted is, though an independent item has failed");
	t = setorder_count(s);
	ok(!setorder_move(s, &t), "... once");
	set_free(s);
}

#define CM(name, value)                                                       \
	"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"        \
	"\"name\":\"" name "\",\"namespace\":\"d\"},\"data\":{\"k\":\"" value \
	"\"}}"

static void
test_inherit(void)
{
	struct set *old =
	    parse("{\"items\":[" CM("a", "1") "," CM("b", "1") "," CM(
		"c", "1") "," CM("e", "1") "],\"reconcile\":{" PRIMARY "}}");
	struct set *new = parse("{\"items\":[" CM("x", "1") "," CM(
	    "e", "1") "," CM("c", "2") "," CM("b", "1") "," CM("a",
	    "1") "],\"reconcile\":{" PRIMARY "}}");

	old->items[0].state = ITEM_DONE;
	old->items[0].accepted_ms = 1000;
	retry_plan(&old->items[1].failure.retry, RETRY_PERMANENT, -1, 1000);
	old->items[1].state = ITEM_FAILED;
	retry_plan(&old->items[2].failure.retry, RETRY_PERMANENT, -1, 1000);
	old->items[2].state = ITEM_FAILED;
	old->items[3].state = ITEM_DONE;
	old->items[3].accepted_ms = 10;
	old->items[1].step = STEP_LIST;
	old->items[1].patch = mem_strdup("{}");
	for (size_t i = 1; i < 3; i++)
		old->items[i].denied = (struct denial *)&old->items[i];
	set_inherit(new, old, 5000, 5500);
	ok(new->items[0].state == ITEM_WAITING, "a new item is sent");
	ok(new->items[1].state == ITEM_WAITING,
	    "one accepted long ago is sent again");
	ok(new->items[2].state == ITEM_WAITING,
	    "a changed one is sent at once");
	ok(new->items[3].state ==
		ITEM_FAILED &&new->items[3].failure.retry.due_ms ==
		old->items[1].failure.retry.due_ms,
	    "one that fails keeps its back-off");
	is(new->items[3].patch, "{}", "... and what it was about to send");
	ok(new->items[3].denied == (struct denial *)&old->items[1] &&
		new->items[2].denied == (struct denial *)&old->items[2] &&
		old->items[1].denied == NULL && old->items[2].denied == NULL,
	    "what was denied is, until it is tried again, also if changed");
	ok(new->items[4].state == ITEM_DONE, "one just accepted is not sent");
	set_free(old);
	set_free(new);
}

/* A line that says that what was in the way of both items is gone */
static void
test_vacated(void)
{
	struct set *old = parse("{\"items\":[" CM("a", "1") "," CM(
	    "b", "1") "],\"reconcile\":{" PRIMARY "}}");
	struct set *new = parse("{\"items\":[" CM("a", "1") "," CM(
	    "b", "1") "],\"reconcile\":{" PRIMARY
		      ",\"vacated\":[\"ConfigMap/d/a\",\"ConfigMap/d/b\"]}}");

	for (size_t i = 0; i < 2; i++) {
		old->items[i].state = ITEM_FAILED;
		retry_plan(
		    &old->items[i].failure.retry, RETRY_PERMANENT, -1, 1000);
	}
	old->items[1].failure.reason = "Conflict";
	set_inherit(new, old, 5000, 1001);
	ok(new->items[0].failure.retry.due_ms >= 6000,
	    "an item that failed for itself keeps its back-off");
	ok(new->items[1].failure.retry.due_ms == 1001 &&
		new->items[1].failure.retry.backoff.n == 1,
	    "one that an object was in the way of is due; the next time is "
	    "not sooner");
	set_free(old);
	set_free(new);
}

static void
test_bodies(void)
{
	struct buf b = BUF_INIT;
	struct body_edit edit = {0};
	const char *object =
	    "{\"kind\":\"X\",\"metadata\":{\"managedFields\":[{}],\"uid\":"
	    "\"o\","
	    "\"labels\":{\"a\":\"b\",\"l\":\"w\"},\"name\":\"n\"},\"s\":1}";

	body_apply(&b, span_str(object), &edit);
	is(buf_str(&b),
	    "{\"kind\":\"X\",\"metadata\":{\"uid\":\"o\",\"labels\":{\"a\":"
	    "\"b\",\"l\":\"w\"},\"name\":\"n\"},\"s\":1}",
	    "managedFields are cut");
	buf_reset(&b);
	edit = (struct body_edit){.uid = span_str("u"),
	    .resource_version = span_str("1"),
	    .label = span_str("l"),
	    .label_value = span_str("v")};
	body_apply(&b, span_str(object), &edit);
	is(buf_str(&b),
	    "{\"kind\":\"X\",\"metadata\":{\"name\":\"n\",\"uid\":\"u\","
	    "\"resourceVersion\":\"1\",\"labels\":{\"a\":\"b\",\"l\":\"v\"}},"
	    "\"s\":1}",
	    "uid, version and label are set");
	buf_reset(&b);
	body_delete(&b, span_str("u"), SPAN_NONE, true);
	is(buf_str(&b),
	    "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
	    "\"propagationPolicy\":\"Background\",\"preconditions\":{\"uid\":"
	    "\"u\"},\"dryRun\":[\"All\"]}",
	    "a delete");
	buf_release(&b);
}

static const struct proof *proof; /* for member() */
static const char *origin = "";	  /* a member of reconcile */
static const char *primary = PRIMARY;

/* Its text is line, which it borrows. */
static struct set *
set_of_primary(struct buf *line)
{
	buf_addf(
	    line, "{\"items\":[" CM("a", "1") "],\"reconcile\":{%s}}", primary);
	return parse(buf_str(line));
}

static bool
member(const char *metadata)
{
	struct buf b = BUF_INIT, line = BUF_INIT;
	struct set *s = set_of_primary(&line);
	bool yes;

	s->origin = span_str(origin);

	buf_addf(&b, "{\"metadata\":{%s%s}}", metadata,
	    strstr(metadata, "\"namespace\"") == NULL ? ",\"namespace\":\"d\""
						      : "");
	yes = body_is_member(proof, s, &s->items[0], buf_span(&b));
	set_free(s);
	buf_release(&b);
	buf_release(&line);
	return yes;
}

static void
test_members(void)
{
	/* printf %s Thing.e.com/d/t | sha256sum | cut -c -32 */
#define LABEL                                \
	"\"labels\":{\"kpipe.dev/part-of\":" \
	"\"" PART "\"}"
#define PART "b65e88d6dd9e92b98a9335c792f5baed"
#define OWNER(version, kind, name, uid)                    \
	"{\"apiVersion\":\"" version "\",\"kind\":\"" kind \
	"\",\"name\":\"" name "\",\"uid\":\"" uid "\",\"controller\":true}"
#define OWNED(...) "\"ownerReferences\":[" OWNER(__VA_ARGS__) "]"
	ok(member("\"ownerReferences\":[{\"uid\":\"u9\"}," OWNER(
	       "e.com/v1", "Thing", "t", "u1") "]"),
	    "a controller reference");
	ok(member(OWNED("e.com/v2", "Thing", "t", "u1")), "another version");
	ok(!member("\"ownerReferences\":[{\"apiVersion\":\"e.com/v1\","
		   "\"kind\":\"Thing\",\"name\":\"t\",\"uid\":\"u1\"}]"),
	    "a reference that does not control");
	ok(!member(OWNED("e.com/v1", "Thing", "t", "u2")), "another uid");
	ok(!member(OWNED("e.org/v1", "Thing", "t", "u1")), "another group");
	ok(!member(OWNED("e.com/v1", "Other", "t", "u1")), "another kind");
	ok(!member(OWNED("e.com/v1", "Thing", "x", "u1")), "another name");
	ok(!member(
	       OWNED("e.com/v1", "Thing", "t", "u1") ",\"namespace\":\"x\""),
	    "from another namespace");
	ok(member(LABEL ",\"annotations\":{\"kpipe.dev/member\":"
			"\"Thing.e.com/d/t ConfigMap/d/a\"}"),
	    "label and annotation");
	ok(!member(LABEL), "the label alone");
	ok(!member("\"annotations\":{\"kpipe.dev/member\":"
		   "\"Thing.e.com/d/t ConfigMap/d/a\"}"),
	    "the annotation alone");
	ok(!member(LABEL ",\"annotations\":{\"kpipe.dev/member\":"
			 "\"Thing.e.com/d/t ConfigMap/d/b\"}"),
	    "marks copied from another object");
	ok(!member("\"x\":1"), "nothing");
}

/* The same with a key, as kpipe passes it. */
static void
test_proofs(void)
{
	static const char keys[] = "new-new-new-new-new-new-new-new-\n"
				   "old-old-old-old-old-old-old-old-\n";
	static const char other[] = "other-other-other-other-other-other\n";
	static const struct {
		const char *key, *primary, *origin, *item;
		bool good;
		const char *what;
	} cases[] = {
	    {keys, "Thing.e.com/d/t", "u1", "ConfigMap/d/a", true, "a proof"},
	    {keys + 33, "Thing.e.com/d/t", "u1", "ConfigMap/d/a", true,
		"... by the key before"},
	    {other, "Thing.e.com/d/t", "u1", "ConfigMap/d/a", false,
		"... by a key that is not ours"},
	    {keys, "Thing.e.com/d/t", "u0", "ConfigMap/d/a", false,
		"... of an earlier primary of that name"},
	    {keys, "Thing.e.com/d/s", "u1", "ConfigMap/d/a", false,
		"... of another primary"},
	    {keys, "Other.e.com/d/t", "u1", "ConfigMap/d/a", false,
		"... of a primary of another kind"},
	    {keys, "Thing.e.com/d/t", "u1", "ConfigMap/d/b", false,
		"... of a sibling"},
	};
	struct proof ours = {0}, theirs = {0};
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;

	ok(proof_parse(&ours, span_str(keys), "x", &err) == 0, "two keys");
	proof = &ours;
	for (size_t i = 0; i < COUNT(cases); i++) {
		proof_parse(&theirs, span_str(cases[i].key), "x", &err);
		buf_reset(&b);
		buf_adds(&b,
		    LABEL ",\"annotations\":{\"kpipe.dev/member\":"
			  "\"Thing.e.com/d/t ConfigMap/d/a\","
			  "\"kpipe.dev/proof\":\"");
		proof_add(&b, &theirs,
		    &(struct proof_of){.primary = span_str(cases[i].primary),
			.item = span_str(cases[i].item)},
		    span_str(cases[i].origin));
		buf_adds(&b, "\"}");
		ok(member(buf_str(&b)) == cases[i].good, cases[i].what);
	}
	ok(!member(LABEL ",\"annotations\":{\"kpipe.dev/member\":"
			 "\"Thing.e.com/d/t ConfigMap/d/a\"}"),
	    "marks without a proof");
	ours.accept_unproven = true;
	ok(member(LABEL ",\"annotations\":{\"kpipe.dev/member\":"
			"\"Thing.e.com/d/t ConfigMap/d/a\"}"),
	    "... are accepted once");
	ok(!member(LABEL), "... but not the label alone");
	ours.accept_unproven = false;
	buf_reset(&b);
	buf_adds(&b,
	    LABEL ",\"annotations\":{\"kpipe.dev/member\":"
		  "\"Thing.e.com/d/t ConfigMap/d/a\",\"kpipe.dev/proof\":\"");
	proof_add(&b, &ours,
	    &(struct proof_of){.primary = span_str("Thing.e.com/d/t"),
		.item = span_str("ConfigMap/d/a")},
	    span_str("u0"));
	buf_adds(&b, "\"}");
	origin = "u0";
	ok(member(buf_str(&b)), "a restored primary: its origin counts");
	origin = "";
	proof = NULL;
	ok(member(buf_str(&b)), "without a key: as given");
	proof_release(&ours);
	proof_release(&theirs);
	buf_release(&b);
}

/* A set with a cluster-scoped primary: an owner reference needs a proof. */
#define WIDE                                                                   \
	"\"primary\":{\"apiVersion\":\"e.com/v1\",\"kind\":\"Wide\",\"name\":" \
	"\"w\",\"uid\":\"u1\",\"resourceVersion\":\"5\"}"
#define OWNED_WIDE OWNED("e.com/v1", "Wide", "w", "u1")

/* owned by w, with such a proof; key NULL: none */
static bool
wide(const struct proof *by, const char *of, const char *uid, const char *item,
    const char *instance)
{
	struct buf b = BUF_INIT;
	bool yes;

	buf_adds(&b, OWNED_WIDE ",\"annotations\":{\"kpipe.dev/proof\":\"");
	proof_add(&b, by,
	    &(struct proof_of){.primary = span_str(of),
		.item = span_str(item),
		.instance = span_str(instance)},
	    span_str(uid));
	buf_adds(&b, "\"}");
	yes = member(buf_str(&b));
	buf_release(&b);
	return yes;
}

static void
test_owners(void)
{
	struct proof ours = {0}, theirs = {0};
	struct err err = ERR_INIT;
	const char *w = "Wide.e.com//w", *a = "ConfigMap/d/a";

	primary = WIDE;
	ok(member(OWNED_WIDE), "cluster-scoped, no key: an owner is enough");
	proof_parse(&ours, span_str("ours-ours-ours-ours-ours-ours-ours-\n"),
	    "x", &err);
	proof_parse(&theirs, span_str("their-their-their-their-their-their\n"),
	    "x", &err);
	proof = &ours;
	ok(!member(OWNED_WIDE), "with a key: it lacks the proof");
	ok(wide(&ours, w, "u1", a, ""), "... it has one");
	ok(!wide(&theirs, w, "u1", a, ""), "... by another key");
	ok(!wide(&ours, w, "u1", "ConfigMap/d/b", ""), "... of a sibling");
	ok(!wide(&ours, w, "u0", a, ""), "... of an earlier primary");
	ok(!wide(&ours, w, PROOF_RETAINED, a, ""), "... of what is retained");
	ok(!wide(&ours, "Wide.e.com//v", "u1", a, ""), "... of another one");
	ok(!wide(&ours, w, "u1", a, "x"), "... with another instance");
	ours.accept_unproven = true;
	ok(member(OWNED_WIDE), "... accepted once");
	ours.accept_unproven = false;
	primary = PRIMARY;
	ok(member(OWNED("e.com/v1", "Thing", "t", "u1")),
	    "a namespaced primary: none is needed");
	proof = NULL;
	proof_release(&ours);
	proof_release(&theirs);
}

/* Owned by w, and written by that manager, in that way. */
static bool
was_ours(const char *manager, const char *operation, const char *uid)
{
	struct buf b = BUF_INIT, line = BUF_INIT;
	struct set *s;
	bool yes;

	primary = WIDE;
	s = set_of_primary(&line);
	buf_addf(&b,
	    "{\"metadata\":{" OWNED_WIDE ",\"managedFields\":[{\"manager\":"
	    "\"%s\",\"operation\":\"%s\",\"fieldsV1\":{\"f:metadata\":{"
	    "\"f:ownerReferences\":{\"k:{\\\"uid\\\":\\\"%s\\\"}\":{}}}}}]}}",
	    manager, operation, uid);
	yes = body_was_ours(s, buf_span(&b), span_str("m"));
	set_free(s);
	buf_release(&b);
	buf_release(&line);
	primary = PRIMARY;
	return yes;
}

static void
test_was_ours(void)
{
	ok(was_ours("m", "Apply", "u1"), "our manager applied the owner");
	ok(!was_ours("n", "Apply", "u1"), "another manager did");
	ok(!was_ours("m", "Update", "u1"), "it was written otherwise");
	ok(!was_ours("m", "Apply", "u2"), "it applied another owner");
}

static void
finalizers(const char *list, const char *present, enum finalizer_need want,
    const char *value)
{
	struct buf line = BUF_INIT, object = BUF_INIT, patch = BUF_INIT;
	struct set *s;

	buf_addf(
	    &line, "{\"reconcile\":{" PRIMARY ",\"finalizers\":%s}}", list);
	s = parse(buf_str(&line));
	buf_addf(
	    &object, "{\"metadata\":{\"resourceVersion\":\"7\",%s}}", present);
	ok(body_finalizers(&patch, s, &s->items[0], buf_span(&object)) == want,
	    list);
	if (value != NULL) {
		const char *at = strstr(buf_str(&patch), "\"value\":[");

		is(at, value, "... the new list");
	}
	set_free(s);
	buf_release(&line);
	buf_release(&object);
	buf_release(&patch);
}

static void
test_finalizers(void)
{
	finalizers("{\"add\":[\"a/b\"]}", "\"uid\":\"u1\"", FINALIZER_PATCH,
	    "\"value\":[\"a/b\"]}]");
	finalizers("{\"add\":[\"a/b\"]}",
	    "\"uid\":\"u1\",\"finalizers\":[\"x\"]", FINALIZER_PATCH,
	    "\"value\":[\"x\",\"a/b\"]}]");
	finalizers("{\"add\":[\"x\"]}", "\"uid\":\"u1\",\"finalizers\":[\"x\"]",
	    FINALIZER_NOTHING, NULL);
	finalizers(
	    "{\"add\":[\"x\"]}", "\"uid\":\"u2\"", FINALIZER_STALE, NULL);
	finalizers("{\"add\":[\"x\"]}",
	    "\"uid\":\"u1\",\"deletionTimestamp\":\"2026\"", FINALIZER_STALE,
	    NULL);
	finalizers("{\"remove\":[\"x\"]}",
	    "\"uid\":\"u1\",\"deletionTimestamp\":\"2026\",\"finalizers\":["
	    "\"y\",\"x\"]",
	    FINALIZER_PATCH, "\"value\":[\"y\"]}]");
	finalizers(
	    "{\"remove\":[\"x\"]}", "\"uid\":\"u1\"", FINALIZER_NOTHING, NULL);
}

int
main(void)
{
	test_refusals();
	test_order();
	test_after();
	test_moves();
	test_inherit();
	test_vacated();
	test_bodies();
	test_members();
	test_proofs();
	test_owners();
	test_was_ours();
	test_finalizers();
	return tap_done();
}
