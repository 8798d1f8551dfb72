#include "adopt.h"

#include "body.h"
#include "fields.h"
#include "json.h"

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
	return json_type(value) == JSON_STRING &&
	    span_eq(span_make(value.p + 1, value.n - 2), s->primary.name);
}

static bool
has_owner(struct span object)
{
	struct buf owner = BUF_INIT;
	bool yes;

	body_owner(&owner, object);
	yes = owner.len > 0;
	buf_release(&owner);
	return yes;
}

bool
adopt_may(const struct set *s, const struct item *i, struct span object)
{
	/* At most once means: not again for what another one made. */
	return s->adopt.n > 0 && !i->once && !has_owner(object) &&
	    body_metadata(object, "deletionTimestamp").n == 0 &&
	    is_named(label(object, s->adopt), s);
}

void
adopt_hint(struct buf *b, const struct set *s, struct span object)
{
	struct json_members m =
	    json_members(json_path(object, "metadata.labels"));

	if (has_owner(object))
		return;
	if (s->adopt.n > 0) {
		if (!is_named(label(object, s->adopt), s))
			buf_addf(b,
			    "; to be adopted it needs the label %.*s=%.*s",
			    SPAN_ARG(s->adopt), SPAN_ARG(s->primary.name));
		return;
	}
	while (json_member(&m)) {
		if (!is_named(m.value, s))
			continue;
		buf_addf(b,
		    "; \"adopt: {label: %.*s}\" in watches.yaml would take "
		    "it over",
		    SPAN_ARG(m.key));
		return;
	}
}

/* What these own is not the former operator's, and losing it does harm: the
 * volume of a claim, the finalizer of a load balancer. */
static bool
is_kubernetes(struct span manager)
{
	static const char *const names[] = {"kube-apiserver",
	    "kube-controller-manager", "kube-scheduler", "kubelet",
	    "cloud-controller-manager"};

	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		if (json_is(manager, names[n]))
			return true;
	return false;
}

static bool
is_left_over(struct span entry)
{
	return json_is(json_get(entry, "operation"), "Update") &&
	    json_get(entry, "subresource").n == 0 &&
	    !is_kubernetes(json_get(entry, "manager"));
}

static bool
is_ours(struct span entry, const struct item *i, struct span manager)
{
	struct span name = json_get(entry, "manager");
	struct span version = json_get(entry, "apiVersion");

	return json_is(json_get(entry, "operation"), "Apply") &&
	    json_get(entry, "subresource").n == 0 && name.n >= 2 &&
	    version.n >= 2 &&
	    span_eq(span_make(name.p + 1, name.n - 2), manager) &&
	    span_eq(span_make(version.p + 1, version.n - 2), i->id.api_version);
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

bool
adopt_patch(struct buf *b, const struct item *i, struct span object,
    struct span manager)
{
	struct json_elements e =
	    json_elements(json_path(object, "metadata.managedFields"));
	struct buf kept = BUF_INIT, fields = BUF_INIT;
	struct span time = SPAN_NONE;
	bool change = false;

	buf_addc(&kept, '[');
	while (json_element(&e)) {
		bool left_over = is_left_over(e.value);

		if (left_over || is_ours(e.value, i, manager)) {
			change = change || left_over;
			time = json_get(e.value, "time");
			add_all(&fields, json_get(e.value, "fieldsV1"));
		} else {
			json_add_comma(&kept);
			buf_addspan(&kept, e.value);
		}
	}
	if (change) {
		add_entry(&kept, i, manager, time, buf_span(&fields));
		buf_addc(&kept, ']');
		body_test(b, "/metadata/uid", body_metadata(object, "uid"));
		body_test(b, "/metadata/resourceVersion",
		    body_metadata(object, "resourceVersion"));
		buf_adds(b,
		    ",{\"op\":\"replace\",\"path\":\"/metadata/managedFields\","
		    "\"value\":");
		buf_addspan(b, buf_span(&kept));
		buf_adds(b, "}]");
	}
	buf_release(&kept);
	buf_release(&fields);
	return change;
}
