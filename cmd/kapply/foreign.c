#include "foreign.h"

#include <stdlib.h>
#include <string.h>

#include "adopt.h"
#include "base/mem.h"
#include "body.h"
#include "conf/instancename.h"
#include "json/json.h"
#include "kube/proof.h"
#include "set/confidential.h"
#include "spare.h"

static void
refuse(struct call *c, struct span why)
{
	send_fail_with(c->key, c->item, RETRY_PERMANENT, -1, why);
	c->item->failure.reason = "Conflict";
}

static void
refuse_member(struct call *c, struct span object)
{
	struct buf b = BUF_INIT, owner = BUF_INIT;

	body_owner(&owner, object);
	buf_adds(&b, "it is part of ");
	buf_adds(
	    &b, owner.len > 0 ? buf_str(&owner) : "another operator's set");
	refuse(c, buf_span(&b));
	buf_release(&b);
	buf_release(&owner);
}

bool
foreign_to_set(struct call *c, struct span object)
{
	const struct apply *a = c->key->apply;
	struct buf b = BUF_INIT, owner = BUF_INIT;
	struct span in;
	bool refused;

	if (a->label == NULL)
		return false;
	in = json_get(json_path(object, "metadata.labels"), a->label);
	body_owner(&owner, object);
	if (in.n > 0 && !json_is(in, a->label_value))
		buf_addf(&b,
		    "it is in another apply set: leave it out of this one, or "
		    "remove its label %s=%.*s first",
		    a->label, SPAN_ARG(json_raw_string(in)));
	else if (in.n == 0 && body_is_made(object))
		buf_addf(&b,
		    "an operator made it%s%s: leave it out of the apply set",
		    owner.len > 0 ? " for " : "", buf_str(&owner));
	refused = b.len > 0;
	if (refused)
		refuse(c, buf_span(&b));
	buf_release(&b);
	buf_release(&owner);
	return refused;
}

static void
go_on(struct item *i, struct span uid)
{
	free(i->live_uid);
	i->live_uid = mem_dup(uid.p, uid.n);
	if (engine_item_take(i, EVENT_NEXT) == ACTION_QUEUE)
		i->step = STEP_WRITE;
}

void
foreign_read(struct call *c, struct span object)
{
	struct item *i = c->item;
	const struct apply *a = c->key->apply;
	struct buf b = BUF_INIT;
	const char *why;

	if (!span_eq(body_metadata(object, "resourceVersion"), i->version)) {
		engine_item_stale(c->key, i);
	} else if (spare(c->key->set, i, object,
		       span_str(kube_namespace(a->kube)),
		       &why) == SPARE_ALWAYS) {
		buf_addf(&b, "%s, and never deleted", why);
		refuse(c, buf_span(&b));
	} else if (body_is_made(object) ||
	    body_is_member(&a->proof, c->key->set, i, object)) {
		refuse_member(c, object);
	} else {
		go_on(i, body_metadata(object, "uid"));
	}
	buf_release(&b);
}

/* ---- fields that another primary holds ---- */

void
foreign_conflict(struct call *c, const struct kube_error *e)
{
	struct item *i = c->item;
	struct buf b = BUF_INIT;

	kube_error_public(&b, e, confidential_kind(c->key->set, &i->id));
	free(i->conflict);
	i->conflict = buf_take(&b);
	if (engine_item_take(i, EVENT_NEXT) == ACTION_QUEUE)
		i->step = STEP_HOLDER;
}

/* Whether the conflict is with the manager of the mark's primary. */
static bool
is_with(const char *conflict, struct span mark)
{
	struct buf manager = BUF_INIT;
	bool yes;

	if (!span_take(&mark, PROOF_PATCH) || mark.n < 2 * SEND_SUFFIX_BYTES)
		return false;
	buf_addf(&manager, "-%.*s\"", 2 * SEND_SUFFIX_BYTES, mark.p);
	yes = strstr(conflict, buf_str(&manager)) != NULL;
	buf_release(&manager);
	return yes;
}

static void
add_holders(struct buf *b, const char *conflict, struct span object)
{
	struct json_members m =
	    json_members(json_path(object, "metadata.annotations"));
	const char *before = "; held by ";
	struct buf scratch = BUF_INIT;

	while (json_member(&m)) {
		struct span value, whose;

		if (!is_with(conflict, m.key))
			continue;
		buf_reset(&scratch);
		value = json_string(m.value, &scratch);
		buf_adds(b, before);
		whose = proof_patch_primary(m.key, value);
		/* For a message, what a forged one says is good enough. */
		buf_addspan(b, whose.p != NULL ? whose : span_cut(&value, ' '));
		before = ", ";
	}
	buf_release(&scratch);
}

void
foreign_holder(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	struct buf b = BUF_INIT;

	buf_adds(&b, i->conflict);
	if (answer->error.kind == ERR_NONE) {
		add_holders(&b, i->conflict, answer->body);
	} else {
		buf_adds(&b, "; cannot look at it: ");
		kube_error_public(
		    &b, &answer->error, confidential_kind(c->key->set, &i->id));
	}
	buf_addf(
	    &b, "; we are \"%.*s\"", SPAN_ARG(send_item_manager(c->key, i)));
	i->step = STEP_WRITE;
	send_fail_with(c->key, i, RETRY_PERMANENT, -1, buf_span(&b));
	i->failure.reason = "Conflict";
	buf_release(&b);
}

/* ---- what has the name of an item ---- */

enum spare_when
foreign_spared(const struct call *c, struct span object, const char **why)
{
	return spare(c->key->set, c->item, object,
	    span_str(kube_namespace(c->key->apply->kube)), why);
}

static void
add_hint(struct buf *b, const struct call *c, struct span object)
{
	const char *why;
	enum spare_when when = foreign_spared(c, object, &why);

	if (when == SPARE_ALWAYS)
		buf_addf(b, "; %s, and never adopted", why);
	else
		adopt_hint(b, c->key->set, c->item, object, when == SPARE_NOT);
}

static void
add_instance(struct buf *b, struct span object)
{
	struct buf scratch = BUF_INIT;
	struct span name = body_instance(object, &scratch);

	if (!instancename_is(name))
		name = span_str("?");
	buf_addf(b,
	    "; instance \"%.*s\" of this operator made it: if that is gone for "
	    "good, or has another name now, start with "
	    "--take-over-instance=%.*s",
	    SPAN_ARG(name), SPAN_ARG(name));
	buf_release(&scratch);
}

void
foreign_refuse(struct call *c, struct span object)
{
	struct buf b = BUF_INIT, owner = BUF_INIT;
	bool going = body_metadata(object, "deletionTimestamp").n != 0;
	const char *unproven =
	    body_unproven(&c->key->apply->proof, c->key->set, c->item, object);

	if (!adopt_is_free(c->key->set, object))
		body_owner(&owner, object);
	buf_adds(&b, "it exists and is not part of ");
	objref_add_label(&b, &c->key->set->primary);
	if (!body_is_ours(c->key->set, object))
		add_instance(&b, object);
	else if (unproven != NULL)
		buf_addf(&b, "; %s", unproven);
	else if (owner.len > 0)
		buf_addf(&b, " but of %s", buf_str(&owner));
	else if (c->item->op == OP_APPLY)
		add_hint(&b, c, object);
	if (going)
		buf_adds(&b, "; it is being deleted");
	send_fail_with(c->key, c->item,
	    going ? RETRY_TRANSIENT : RETRY_PERMANENT, -1, buf_span(&b));
	c->item->failure.reason = "Conflict";
	buf_release(&b);
	buf_release(&owner);
}
