#include "because.h"

#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "json/json.h"
#include "kube/proof.h"
#include "value/datakind.h"

enum { LOOKS = 10, LOOKS_MS = 1000, VALUE_MAX = 128 };

bool
because_may_look(struct because_looks *l, uint64_t now_ms)
{
	if (l->spent == 0 || now_ms - l->since_ms >= LOOKS_MS)
		*l = (struct because_looks){.since_ms = now_ms};
	if (l->spent >= LOOKS)
		return false;
	l->spent++;
	return true;
}

void
because_found(
    const struct set *s, struct item *i, struct span object, struct span ours)
{
	struct buf owner = BUF_INIT, scratch = BUF_INIT;
	struct span path =
	    json_string(json_get(set_difference(i), "path"), &scratch);

	/* The field may be as desired again by now. */
	if (set_may_be_drift(s, i) && path.n > 0 &&
	    !fields_are_right(i->text, object, path) &&
	    fields_setter(&owner, object, path, ours) == FIELDS_OWNED) {
		free(i->by);
		i->by = buf_take(&owner);
	}
	buf_release(&owner);
	buf_release(&scratch);
}

/* The digest of the desired paths (doc/agreement.md), or that of fields that are
 * held (doc/protocol.md, "Marks"): nothing for people. */
static bool
is_digest(struct span path)
{
	return span_is(path, ".metadata.annotations[\"" PROOF_PATHS "\"]") ||
	    span_starts(path, ".metadata.annotations[\"" PROOF_PATCH);
}

/* Appends the observed and the wanted value. False: appends nothing. */
static bool
add_values(struct buf *b, const struct item *i)
{
	struct buf one = BUF_INIT, other = BUF_INIT;
	struct span first = set_difference(i);
	struct span observed = json_string(json_get(first, "observed"), &one);
	struct span wanted = json_string(json_get(first, "wanted"), &other);
	bool told = observed.n > 0 && wanted.n > 0 && observed.n <= VALUE_MAX &&
	    wanted.n <= VALUE_MAX && !datakind(i->id.group, i->id.kind);

	if (told)
		buf_addf(b, "%.*s, wanted %.*s", SPAN_ARG(observed),
		    SPAN_ARG(wanted));
	buf_release(&one);
	buf_release(&other);
	return told;
}

void
because_add_values(struct buf *b, const struct set *s, const struct item *look)
{
	const struct item *i = set_wish(s, look->key);
	struct buf values = BUF_INIT;

	/* Both paths are raw, and ireconcile wrote both. */
	if (i != NULL &&
	    span_eq(json_get(set_difference(i), "path"), look->text) &&
	    add_values(&values, i))
		buf_addf(b, " (%s)", buf_str(&values));
	buf_release(&values);
}

static void
add_event(struct buf *b, struct span event)
{
	struct arena names = ARENA_INIT;
	struct objref id = {.kind = json_raw_string(json_get(event, "kind")),
	    .namespace_ = json_name(json_get(event, "namespace"), &names),
	    .name = json_name(json_get(event, "name"), &names)};
	struct span manager = json_name(json_get(event, "manager"), &names);

	objref_split(json_raw_string(json_get(event, "apiVersion")), &id.group,
	    &id.version);
	buf_addf(b, "after %.*s ",
	    SPAN_ARG(json_raw_string(json_get(event, "type"))));
	objref_add_label(b, &id);
	if (manager.n > 0)
		buf_addf(b, " by %.*s", SPAN_ARG(manager));
	arena_release(&names);
}

void
because_add(struct buf *b, const struct set *s, const struct item *i,
    const char *result)
{
	struct json_elements causes =
	    json_elements(s != NULL ? s->causes : SPAN_NONE);
	struct buf scratch = BUF_INIT;
	struct span path;

	if (strcmp(result, "unchanged") == 0)
		return;
	path = json_string(json_get(set_difference(i), "path"), &scratch);
	if (strcmp(result, "created") == 0 &&
	    json_type(json_get(i->because, "gone")) == JSON_TRUE) {
		buf_adds(b, "it was deleted");
	} else if (is_digest(path)) {
		buf_adds(b, "fields were added or are no longer desired");
	} else if (path.n > 0) {
		buf_addspan(b, path);
		buf_addc(b, ' ');
		if (!add_values(b, i))
			buf_adds(b, "differs");
	} else if (strcmp(result, "failed") != 0) {
		/* The first event; timers say little. */
		while (json_element(&causes)) {
			if (json_get(causes.value, "name").n == 0)
				continue;
			add_event(b, causes.value);
			break;
		}
	}
	if (path.n > 0 && i->by != NULL)
		buf_addf(b, "; set by %s", i->by);
	buf_release(&scratch);
}
