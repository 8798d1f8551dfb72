#include "send.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "body.h"
#include "kube/kubepath.h"
#include "process/clock.h"
#include "set/errand.h"
#include "unseen.h"
#include "value/digest.h"

enum {
	NEW_SCOPE_MS = 30000, /* a new CRD is served within this time */
	MANAGER_MAX = 128
};

/* ---- field managers ---- */

struct span
send_manager(const struct apply *a, const struct set *s)
{
	if (a->o->field_manager != NULL)
		return span_str(a->o->field_manager);
	return s->manager.n != 0 ? s->manager : span_str("kpipe");
}

struct span
send_patch_manager(const struct key *k)
{
	struct set *s = k->set;
	struct span base = send_manager(k->apply, s);
	unsigned char sum[DIGEST_SIZE];
	struct buf b = BUF_INIT;

	if (s->patch_manager == NULL) {
		if (base.n > MANAGER_MAX - 1 - 2 * SEND_SUFFIX_BYTES)
			base.n = MANAGER_MAX - 1 - 2 * SEND_SUFFIX_BYTES;
		digest_sha256(span_str(s->key), sum);
		buf_addspan(&b, base);
		buf_addc(&b, '-');
		digest_add_hex(&b, sum, SEND_SUFFIX_BYTES);
		s->patch_manager = buf_take(&b);
	}
	return span_str(s->patch_manager);
}

struct span
send_item_manager(const struct key *k, const struct item *i)
{
	return i->partial == PARTIAL_NONE ? send_manager(k->apply, k->set)
					  : send_patch_manager(k);
}

/* ---- what a request is about ---- */

/* The object of the item's next request. */
static const struct objref *
target(const struct key *k, const struct item *i)
{
	return i->step == STEP_PRIMARY ? &k->set->primary : &i->id;
}

/* The key of what loops tells no version. */
static const struct api_resource *
resource_of(const struct apply *a, const struct objref *id)
{
	const struct discovery *d = a->w.discovery;

	return id->version.n != 0
	    ? discovery_find(d, id->group, id->version, id->kind)
	    : discovery_find_kind(d, id->group, id->kind);
}

static struct span
target_namespace(const struct key *k, const struct objref *id)
{
	if (id->namespace_.n != 0)
		return id->namespace_;
	return k->set->plain ? span_str(kube_namespace(k->apply->w.kube))
			     : k->set->primary.namespace_;
}

/* ---- failures ---- */

void
send_fail_with(struct key *k, struct item *i, enum retry_kind kind,
    int64_t retry_after_ms, struct span reason)
{
	static const char *const verbs[] = {"look at", "add finalizers to",
	    "apply", "delete", "remove finalizers from"};
	struct buf b = BUF_INIT;

	/* However long it takes: the primary is read afresh then. */
	if (i->once)
		i->step = STEP_PRIMARY;
	i->failure.reason = NULL;
	buf_addf(&b, "cannot %s ",
	    i->partial == PARTIAL_RELEASE ? "give back fields of"
					  : verbs[i->op]);
	objref_add_label(&b, &i->id);
	buf_adds(&b, ": ");
	buf_addspan(&b, reason);
	engine_item_failed(k, i, kind, retry_after_ms, buf_span(&b));
	buf_release(&b);
}

void
send_fail_by(struct call *c, enum retry_kind kind, const struct kube_error *e,
    struct span reason)
{
	struct key *k = c->key;
	struct item *i = c->item;
	const struct objref *id = target(k, i);

	if (kind == RETRY_DENIED)
		denials_enter(
		    &k->apply->w.denials, &i->denied, id->group, id->kind, e);
	send_fail_with(k, i, kind, e->retry_after_ms, reason);
}

bool
send_is_early(const struct apply *a)
{
	return a->new_scope_ms != 0 &&
	    clock_ms() - a->new_scope_ms < NEW_SCOPE_MS;
}

/* ---- items that are not sent ---- */

/* kubectl's rule, and its words: a plain object of another namespace than -n. */
static bool
other_namespace(struct key *k, struct item *i, const struct api_resource *r)
{
	const char *asked = kube_opts.namespace_;
	struct span ns = i->id.namespace_;
	struct buf b = BUF_INIT;

	if (!k->set->plain || asked == NULL || ns.n == 0 || !r->namespaced ||
	    span_is(ns, asked))
		return false;
	buf_addf(&b,
	    "the namespace from the provided object \"%.*s\" does not "
	    "match the namespace \"%s\"",
	    SPAN_ARG(ns), asked);
	send_fail_with(k, i, RETRY_PERMANENT, -1, buf_span(&b));
	buf_release(&b);
	return true;
}

/*
 * ireconcile looks for an object where it expects it: an object of another
 * scope would be created and never be observed.
 */
static bool
other_scope(struct key *k, struct item *i, const struct api_resource *r)
{
	struct buf b = BUF_INIT;

	if (k->set->plain || i->op != OP_APPLY ||
	    r->namespaced == (i->id.namespace_.n > 0))
		return false;
	buf_addf(&b,
	    "the server has this kind %s: it needs \"scope: %s\" in "
	    "watches.yaml",
	    r->namespaced ? "in namespaces" : "for the whole cluster",
	    r->namespaced ? "Namespaced" : "Cluster");
	send_fail_with(k, i, RETRY_PERMANENT, -1, buf_span(&b));
	buf_release(&b);
	return true;
}

/*
 * The line that removes the finalizer was decided before the newest objects
 * were observed: they would be left behind. A newer line comes when they are
 * observed.
 */
static bool
too_early(struct key *k, struct item *i)
{
	uint64_t wait;

	if (i->op != OP_REMOVE_FINALIZERS)
		return false;
	wait = unseen_wait(k->apply->unseen, k->set, clock_ms());
	if (wait == 0)
		return false;
	send_fail_with(k, i, RETRY_TRANSIENT, (int64_t)wait,
	    span_str("what was created just now was not observed yet"));
	return true;
}

/*
 * The brake: no request is sent for a deletion that is held back; it waits like
 * one that has failed for good, mostly until a line no longer requests it.
 */
static bool
held_back(struct key *k, struct item *i)
{
	struct apply *a = k->apply;
	const char *primary = k->set->key;
	struct buf b = BUF_INIT;
	enum brake_scope scope;

	if (i->op != OP_DELETE || (k->set->deleting && !i->foreign) ||
	    writer_opts.dry_run)
		return false;
	scope = i->step == STEP_READ
	    ? brake_is_on(&a->brake, primary, clock_ms())
	    : brake_pass(&a->brake, primary, clock_ms());
	if (scope == BRAKE_OFF)
		return false;
	i->step = STEP_READ;
	buf_addf(&b, "held back: more than %ld deletions %s (--prune-limit)",
	    a->o->prune_limit,
	    scope == BRAKE_ALL
		? "for primaries that stay within a minute"
		: "within a minute, most of them for this primary");
	send_fail_with(k, i, RETRY_PERMANENT, -1, buf_span(&b));
	report_held(a, k->set, i, scope);
	buf_release(&b);
	return true;
}

/* ---- requests ---- */

static void
add_path(struct buf *b, const struct call *c, const struct objref *id)
{
	const struct apply *a = c->key->apply;
	const struct set *s = c->key->set;
	const struct item *i = c->item;

	discovery_path(
	    b, c->resource, target_namespace(c->key, id), id->name, NULL);
	if (c->verb == KUBE_GET || c->verb == KUBE_DELETE)
		return;
	kube_query_add(b, "fieldManager", send_item_manager(c->key, i));
	if (c->verb == KUBE_APPLY &&
	    (a->o->force_conflicts ||
		(!s->plain && i->partial != PARTIAL_TAKE)))
		kube_query_add(b, "force", span_str("true"));
	if (writer_opts.dry_run)
		kube_query_add(b, "dryRun", span_str("All"));
}

static void
add_apply(struct buf *b, struct call *c)
{
	const struct apply *a = c->key->apply;
	const struct item *i = c->item;
	struct body_edit edit = {.strip = true};
	struct buf text = BUF_INIT;

	if (c->key->set->plain) {
		if (a->label != NULL) {
			edit.label = span_str(a->label);
			edit.label_value = span_str(a->label_value);
		}
		edit.strip_status = writer_has_status(c->resource);
		body_apply(b, i->text, &edit);
		return;
	}
	edit.uid = i->live_uid != NULL ? span_str(i->live_uid) : i->known_uid;
	c->uid = edit.uid;
	/*
	 * No object has resourceVersion 1: an apply with it creates what is
	 * absent, and conflicts (409) with what is there.
	 */
	c->if_absent = edit.uid.n == 0;
	edit.resource_version = c->if_absent ? span_str("1") : i->version;
	body_spell(&text, i);
	body_apply(b, buf_span(&text), &edit);
	buf_release(&text);
}

/* Takes c. */
static void
start(struct call *c, const struct objref *id)
{
	struct apply *a = c->key->apply;
	const struct item *i = c->item;
	struct buf path = BUF_INIT, body = BUF_INIT;

	add_path(&path, c, id);
	if (c->verb == KUBE_APPLY)
		add_apply(&body, c);
	else if (c->verb == KUBE_DELETE)
		body_delete(&body, span_str(i->live_uid), i->version,
		    writer_opts.dry_run != 0);
	else if (c->verb == KUBE_JSON_PATCH || c->verb == KUBE_MERGE_PATCH)
		buf_adds(&body, i->patch);
	a->w.requests++;
	if (c->verb != KUBE_GET && !c->key->set->plain)
		workqueue_wrote(&a->w.queue, span_str(c->key->set->key));
	kube_start(a->w.kube,
	    &(struct kube_request){.verb = c->verb,
		.path = buf_str(&path),
		.body = buf_span(&body)},
	    answer_take, c);
	buf_release(&path);
	buf_release(&body);
}

/* A CRD of ours takes a moment until it is served. */
static void
no_such_kind(struct call *c, const struct objref *id)
{
	struct apply *a = c->key->apply;
	bool stale = discovery_stale(a->w.discovery, id->group, id->version);
	struct buf b = BUF_INIT;

	if (stale)
		buf_adds(&b, "the server does not know its kinds at present: ");
	writer_add_no_kind(&b, id);
	send_fail_with(c->key, c->item,
	    stale || send_is_early(a) ? RETRY_TRANSIENT : RETRY_PERMANENT, -1,
	    buf_span(&b));
	buf_release(&b);
}

/* Discovery has answered: the kind is there now, or it is not. */
static void
looked_up(void *arg, const struct kube_error *e)
{
	struct call *c = arg;
	struct key *k = c->key;
	struct item *i = c->item;
	const struct objref *id = target(k, i);
	struct buf b = BUF_INIT;

	if (resource_of(k->apply, id) != NULL) {
		engine_item_take(i, EVENT_NEXT);
	} else if (e != NULL) {
		kube_error_public(&b, e, SPAN_NONE);
		send_fail_by(c, retry_classify(KUBE_GET, e), e, buf_span(&b));
		buf_release(&b);
	} else if (i->op == OP_LOOK) {
		i->found = mem_strdup("somebody");
		engine_item_done(k, i, NULL);
	} else {
		no_such_kind(c, id);
	}
	k->flying--;
	workqueue_ended(&k->apply->w.queue, e == NULL ? 200 : e->code);
	free(c);
	engine_advance(k);
}

void
send_item(struct key *k, struct item *i)
{
	struct apply *a = k->apply;
	const struct objref *id = target(k, i);
	const struct api_resource *r;
	enum item_event event;
	struct call *c;

	if (i->step == STEP_CAUSE && !writer_opts.dry_run &&
	    !report_wants_cause(a))
		i->step = STEP_WRITE;
	if (too_early(k, i) || held_back(k, i)) {
		engine_advance(k);
		return;
	}
	r = resource_of(a, id);
	if (r != NULL && r->namespaced && id == &i->id)
		i->namespace_ = target_namespace(k, id);
	else if (r != NULL && k->set->plain)
		i->id.namespace_ = SPAN_NONE; /* the server drops it */
	if (r != NULL && (other_namespace(k, i, r) || other_scope(k, i, r))) {
		engine_advance(k);
		return;
	}
	c = mem_zalloc(sizeof(*c));
	*c = (struct call){.key = k,
	    .item = i,
	    .verb = errand_verb(errand_of(i->op, i->step)),
	    .resource = r};
	if (k->flying++ == 0)
		k->busy_ms = clock_ms();
	workqueue_started(&a->w.queue);
	event = r == NULL ? EVENT_UNKNOWN : EVENT_TURN;
	if (engine_item_take(i, event) == ACTION_ASK)
		discovery_refresh(a->w.discovery, looked_up, c);
	else
		start(c, id);
}
