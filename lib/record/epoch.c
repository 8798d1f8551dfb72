#include "record/epoch.h"

#include "json/json.h"
#include "value/bookmarks.h"

void
epoch_take(struct epoch *e, struct span segment)
{
	struct span key = json_raw_string(json_get(segment, "digests"));

	e->segments = true;
	if (key.n > 0 && span_eq(key, buf_span(&e->key)))
		return;
	e->number++;
	buf_reset(&e->key);
	buf_addspan(&e->key, key);
}

bool
epoch_begins_again(struct epoch *e, struct span object)
{
	struct span version = json_get(object, "apiVersion");
	struct span kind = json_get(object, "kind");
	struct span notes = json_path(object, "metadata.annotations");
	struct buf name = BUF_INIT;
	bool again;

	if (e->segments || json_get(notes, BOOKMARKS_BEGIN).p == NULL)
		return false;
	buf_addf(&name, "%.*s %.*s", SPAN_ARG(version), SPAN_ARG(kind));
	again = textlist_has(&e->begun, name.data, name.len);
	if (again) {
		e->number++;
		textlist_release(&e->begun);
	}
	textlist_add(&e->begun, name.data, name.len);
	buf_release(&name);
	return again;
}

void
epoch_release(struct epoch *e)
{
	textlist_release(&e->begun);
	buf_release(&e->key);
}
