#include "foreign.h"

#include <stdlib.h>

#include "base/mem.h"
#include "body.h"
#include "json/json.h"
#include "spare.h"

/* Every member has this annotation (doc/protocol.md, "Marks"). */
static bool
is_made_by_kpipe(struct span object)
{
	struct span annotations = json_path(object, "metadata.annotations");

	return json_get(annotations, "kpipe.dev/paths").n > 0;
}

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
	} else if (is_made_by_kpipe(object) ||
	    body_is_member(&a->proof, c->key->set, i, object)) {
		refuse_member(c, object);
	} else {
		go_on(i, body_metadata(object, "uid"));
	}
	buf_release(&b);
}
