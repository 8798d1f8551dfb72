#include "merge.h"

#include <stdlib.h>

#include "body.h"
#include "json/json.h"
#include "set/secret.h"

static void
set_patch(struct item *i, struct buf *patch)
{
	free(i->patch);
	i->patch = buf_take(patch);
}

bool
merge_list(struct item *i, struct span uid, const struct kube_error *e)
{
	struct json_elements causes;
	struct buf patch = BUF_INIT;

	if (uid.n == 0 || i->partial != PARTIAL_NONE || i->list_sent ||
	    e->code != 422 || e->causes == NULL)
		return false;
	causes = json_elements(span_str(e->causes));
	while (json_element(&causes)) {
		struct span field = json_get(causes.value, "field");

		if (!json_is(json_get(causes.value, "reason"),
			"FieldValueDuplicate") ||
		    json_type(field) != JSON_STRING)
			continue;
		buf_reset(&patch);
		if (!body_list(&patch, i->text,
			span_make(field.p + 1, field.n - 2), uid, i->version))
			continue;
		i->list_sent = true;
		set_patch(i, &patch);
		return true;
	}
	buf_release(&patch);
	return false;
}

bool
merge_trim(const struct set *s, struct item *i, struct span live)
{
	struct buf patch = BUF_INIT;
	bool any = i->partial == PARTIAL_RELEASE
	    ? body_unmark(&patch, s, live)
	    : i->exactly && body_trim(&patch, i->text, live);

	if (!any && !s->plain && i->partial == PARTIAL_NONE) {
		buf_reset(&patch);
		any = secret_trim(&patch, i, live);
	}
	if (!any) {
		buf_release(&patch);
		return false;
	}
	set_patch(i, &patch);
	return true;
}
