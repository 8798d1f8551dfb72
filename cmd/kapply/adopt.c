#include "adopt.h"

#include <string.h>

#include "base/array.h"
#include "body.h"
#include "fields.h"
#include "json/json.h"

static struct span
label(struct span object, struct span key)
{
	struct json_members m =
	    json_members(json_path(object, "metadata.labels"));

	while (json_member(&m))
		if (span_eq(m.key, key))
			return m.value;
	return SPAN_NONE;
}

static bool
is_named(struct span value, const struct set *s)
{
	struct buf scratch = BUF_INIT;
	bool yes = json_type(value) == JSON_STRING &&
	    span_eq(json_string(value, &scratch), s->primary.name);

	buf_release(&scratch);
	return yes;
}

/* A reference to the primary from where it cannot own anything. */
static bool
is_stray(const struct set *s, struct span object, struct span ref)
{
	const struct objref *p = &s->primary;

	return p->namespace_.n != 0 &&
	    !span_eq(body_metadata(object, "namespace"), p->namespace_) &&
	    body_refers(s, ref);
}

bool
adopt_is_free(const struct set *s, struct span object)
{
	struct json_elements e =
	    json_elements(json_path(object, "metadata.ownerReferences"));

	while (json_element(&e))
		if (json_type(json_get(e.value, "controller")) == JSON_TRUE &&
		    !is_stray(s, object, e.value))
			return false;
	return json_get(json_path(object, "metadata.annotations"),
		   "kpipe.dev/member")
		   .n == 0;
}

/* The label whose value is the primary's name, or SPAN_NONE. */
static struct span
naming_label(const struct set *s, struct span object)
{
	struct json_members m =
	    json_members(json_path(object, "metadata.labels"));

	while (json_member(&m))
		if (is_named(m.value, s))
			return m.key;
	return SPAN_NONE;
}

/* By which a member in another namespace than its primary's is one. */
static bool
has_marks(const struct set *s, struct span object)
{
	return s->primary.namespace_.n > 0 &&
	    !span_eq(body_metadata(object, "namespace"), s->primary.namespace_);
}

static void
add_offer(struct buf *b, const struct set *s, struct span object)
{
	struct span key = naming_label(s, object);

	if (key.n > 0)
		buf_addf(b,
		    "; \"adopt: {label: %.*s}\" in watches.yaml would take it "
		    "over",
		    SPAN_ARG(key));
	else if (body_is_made(object))
		buf_addf(b,
		    "; an operator made it, and its %s was removed: put that "
		    "back, or delete the object",
		    has_marks(s, object) ? "annotation kpipe.dev/member"
					 : "owner reference");
	else
		buf_adds(b,
		    "; delete it, or give it a label for \"adopt\" in "
		    "watches.yaml");
}

void
adopt_hint(struct buf *b, const struct set *s, const struct item *i,
    struct span object, bool offer)
{
	if (!adopt_is_free(s, object))
		return;
	if (i->once)
		buf_adds(b, "; an item that is created once is never adopted");
	else if (s->adopt.n == 0 && offer)
		add_offer(b, s, object);
	else if (s->adopt.n == 0)
		buf_adds(b,
		    "; it is not taken over, since watches.yaml has no "
		    "\"adopt\"");
	else if (!is_named(label(object, s->adopt), s))
		buf_addf(b, "; to be adopted it needs the label %.*s=%.*s",
		    SPAN_ARG(s->adopt), SPAN_ARG(s->primary.name));
}

/* Managers of Kubernetes itself. The former operator did not set their fields,
 * and losing them does harm: the volume of a claim, the finalizer of a load
 * balancer. */
static bool
is_kubernetes(struct span manager)
{
	static const char *const names[] = {"kube-apiserver",
	    "kube-controller-manager", "kube-scheduler", "kubelet",
	    "cloud-controller-manager"};

	for (size_t n = 0; n < COUNT(names); n++)
		if (json_is(manager, names[n]))
			return true;
	return false;
}

/*
 * Of a plain object only what `kubectl apply` owns without --server-side, as
 * kubectl takes that over itself: k8s.io/client-go/util/csaupgrade.
 */
static bool
is_left_over(const struct set *s, struct span entry)
{
	struct span manager = json_get(entry, "manager");

	return json_is(json_get(entry, "operation"), "Update") &&
	    json_get(entry, "subresource").n == 0 &&
	    (s->plain ? json_is(manager, "kubectl-client-side-apply")
		      : !is_kubernetes(manager));
}

static bool
is_ours(struct span entry, const struct item *i, struct span manager)
{
	struct buf scratch = BUF_INIT;
	bool yes = json_is(json_get(entry, "operation"), "Apply") &&
	    json_get(entry, "subresource").n == 0 &&
	    span_eq(
		json_string(json_get(entry, "manager"), &scratch), manager) &&
	    span_eq(json_raw_string(json_get(entry, "apiVersion")),
		i->id.api_version);

	buf_release(&scratch);
	return yes;
}

bool
adopt_may(const struct set *s, const struct item *i, struct span object)
{
	/* At most once: not again for an object of another operator. */
	return !i->once && s->adopt.n > 0 && adopt_is_free(s, object) &&
	    body_metadata(object, "deletionTimestamp").n == 0 &&
	    is_named(label(object, s->adopt), s);
}

static void
add_text(struct buf *b, const char *key, struct span text)
{
	json_add_key(b, key);
	json_add_string(b, text);
}

static void
add_entry(struct buf *b, const struct item *i, struct span manager,
    struct span time, struct span fields)
{
	json_add_comma(b);
	buf_addc(b, '{');
	add_text(b, "manager", manager);
	add_text(b, "operation", span_str("Apply"));
	add_text(b, "apiVersion", i->id.api_version);
	if (time.n > 0) {
		json_add_key(b, "time");
		buf_addspan(b, time);
	}
	add_text(b, "fieldsType", span_str("FieldsV1"));
	json_add_key(b, "fieldsV1");
	buf_addspan(b, fields);
	buf_addc(b, '}');
}

static void
add_all(struct buf *fields, struct span more)
{
	struct buf both = BUF_INIT;

	fields_union(&both, buf_span(fields), more);
	buf_release(fields);
	*fields = both;
}

/* The managedFields as they should be; true if that is a change. */
static bool
new_fields(struct buf *b, const struct set *s, const struct item *i,
    struct span object, struct span manager)
{
	struct json_elements e =
	    json_elements(json_path(object, "metadata.managedFields"));
	struct buf fields = BUF_INIT;
	struct span time = SPAN_NONE;
	bool change = false;

	buf_addc(b, '[');
	while (json_element(&e)) {
		bool left_over = is_left_over(s, e.value);

		if (left_over || is_ours(e.value, i, manager)) {
			change = change || left_over;
			time = json_get(e.value, "time");
			add_all(&fields, json_get(e.value, "fieldsV1"));
		} else {
			json_add_comma(b);
			buf_addspan(b, e.value);
		}
	}
	if (change)
		add_entry(b, i, manager, time, buf_span(&fields));
	buf_addc(b, ']');
	buf_release(&fields);
	return change;
}

/* The references that are not to the primary; true if that is a change. */
static bool
new_owners(struct buf *b, const struct set *s, struct span object)
{
	struct json_elements e =
	    json_elements(json_path(object, "metadata.ownerReferences"));
	bool change = false;

	buf_addc(b, '[');
	while (json_element(&e)) {
		if (is_stray(s, object, e.value)) {
			change = true;
			continue;
		}
		json_add_comma(b);
		buf_addspan(b, e.value);
	}
	buf_addc(b, ']');
	return change;
}

static void
add_replace(struct buf *b, const char *path, struct span value)
{
	buf_adds(b, ",{\"op\":\"replace\",\"path\":");
	json_add_str(b, path);
	json_add_key(b, "value");
	buf_addspan(b, value);
	buf_addc(b, '}');
}

bool
adopt_patch(struct buf *b, const struct set *s, const struct item *i,
    struct span object, struct span manager)
{
	struct buf fields = BUF_INIT, owners = BUF_INIT;
	bool fields_change = new_fields(&fields, s, i, object, manager);
	bool owners_change = new_owners(&owners, s, object);

	if (fields_change || owners_change) {
		body_test(b, "/metadata/uid", body_metadata(object, "uid"));
		body_test(b, "/metadata/resourceVersion",
		    body_metadata(object, "resourceVersion"));
	}
	if (owners_change)
		add_replace(b, "/metadata/ownerReferences", buf_span(&owners));
	if (fields_change)
		add_replace(b, "/metadata/managedFields", buf_span(&fields));
	if (fields_change || owners_change)
		buf_addc(b, ']');
	buf_release(&fields);
	buf_release(&owners);
	return fields_change || owners_change;
}
