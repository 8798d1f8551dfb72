#include "holder.h"

#include <string.h>

#include "conf/instancename.h"
#include "json/json.h"
#include "process/log.h"
#include "state/marks.h"

static void
add_name(struct buf *b, const struct cache_object *o)
{
	struct span name =
	    json_raw_string(cache_object_annotation(o, PROOF_INSTANCE));

	buf_addspan(b, instancename_is(name) ? name : span_str("?"));
}

/* A claim counts while our finalizer is there, which came with it. */
static bool
is_claimed(const struct primary *p)
{
	const char *finalizer = p->entry->conf->finalizer;

	return p->object->instance != INSTANCES_NONE && finalizer != NULL &&
	    cache_object_has_finalizer(p->object, finalizer);
}

bool
holder_find(const struct primary *p, struct buf *b)
{
	const struct entry *e = p->entry;
	const struct cache_object *o;

	if (e->instances->others == 0)
		return false;
	o = is_claimed(p) ? p->object : entry_oldest_named(p);
	if (o == NULL || marks_is_ours(e, o))
		return false;
	if (b != NULL)
		add_name(b, o);
	return true;
}

/* ---- what is said ---- */

static void
say_holder(const struct primary *p, const char *name)
{
	struct log_about who = primary_about(p);
	const char *own = p->entry->instance;

	log_write(LOG_WARNING, &who,
	    "left alone: instance \"%s\" of this operator has it, and this is "
	    "%s%s%s; if that one is gone for good or has another name now, "
	    "start with --take-over-instance=%s",
	    name, own != NULL ? "\"" : "one without a name (instance)",
	    own != NULL ? own : "", own != NULL ? "\"" : "", name);
}

bool
holder_look(struct primary *p)
{
	struct log_about who = primary_about(p);
	struct buf name = BUF_INIT;
	bool held = holder_find(p, &name);

	if (held &&
	    (p->holder == NULL || strcmp(p->holder, buf_str(&name)) != 0)) {
		say_holder(p, buf_str(&name));
		primary_set_holder(p, buf_str(&name));
	} else if (!held && p->holder != NULL) {
		log_write(LOG_INFO, &who,
		    "instance \"%s\" does not have it any more", p->holder);
		primary_set_holder(p, NULL);
	}
	buf_release(&name);
	return held;
}
