#include "holder.h"

#include <string.h>

#include "conf/instancename.h"
#include "json/json.h"
#include "process/log.h"
#include "state/marks.h"

/* The member that was made first decides, if it names an instance. */
static bool
is_made_by_another(const struct primary *p, struct buf *name)
{
	const struct entry *e = p->entry;
	const struct cache_object *o;
	struct buf scratch = BUF_INIT;

	if (e->instances->others == 0)
		return false;
	o = entry_oldest_named(p);
	if (o == NULL || marks_is_ours(e, o))
		return false;
	buf_addspan(name,
	    json_string(cache_object_annotation(o, PROOF_INSTANCE), &scratch));
	buf_release(&scratch);
	return true;
}

bool
holder_find(const struct primary *p, struct buf *b)
{
	struct buf name = BUF_INIT;
	enum marks_claim claim = marks_claim(p->entry, p->object, &name);
	bool held = claim == MARKS_OTHERS ||
	    (claim == MARKS_UNCLAIMED && is_made_by_another(p, &name));
	if (held && b != NULL)
		buf_addspan(b,
		    instancename_is(buf_span(&name)) ? buf_span(&name)
						     : span_str("?"));
	buf_release(&name);
	return held;
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
