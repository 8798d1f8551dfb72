#include "adopt.h"

#include <string.h>

#include "applyset.h"
#include "base/array.h"
#include "body.h"
#include "conf/instancename.h"
#include "fields.h"
#include "json/json.h"

/* ---- what is never adopted ---- */

/*
 * NULL: any; "x*": what begins with x. Kubernetes' own come first: of two rows
 * that fit, the first counts.
 */
static const struct row {
	const char *group, *kind, *namespace_, *name;
	enum adopt_when when;
	const char *why;
} rows[] = {
    {"", "Node", "", NULL, ADOPT_NEVER, "it is a Node"},
    {"", "Secret", NULL, "kpipe-marks-*", ADOPT_NEVER,
	"it is the key of an operator's marks"},
    {NULL, NULL, "kube-*", NULL, ADOPT_NEVER,
	"it is in a namespace of Kubernetes' own"},
    {"", "Namespace", "", "kube-*", ADOPT_NEVER, "it is Kubernetes' own"},
    {"", "Namespace", "", "default", ADOPT_NEVER, "it is Kubernetes' own"},
    {"", "Service", "default", "kubernetes", ADOPT_NEVER,
	"it is Kubernetes' own"},
    {NULL, NULL, "", "system:*", ADOPT_NEVER, "it is Kubernetes' own"},
    {"scheduling.k8s.io", "PriorityClass", "", "system-*", ADOPT_NEVER,
	"it is Kubernetes' own"},
    /* Cluster-scoped: Namespaces, CustomResourceDefinitions, volumes, ...:
     * what hangs on them goes with them. */
    {NULL, NULL, "", NULL, ADOPT_ASKED, NULL},
};

static bool
fits(const char *pattern, struct span s)
{
	size_t n;

	if (pattern == NULL)
		return true;
	n = strlen(pattern);
	if (n == 0 || pattern[n - 1] != '*')
		return span_is(s, pattern);
	return s.n >= n - 1 && memcmp(s.p, pattern, n - 1) == 0;
}

bool
adopt_is_primary(const struct set *s, struct span object)
{
	return s->primary.uid.n > 0 &&
	    span_eq(body_metadata(object, "uid"), s->primary.uid);
}

static bool
is_namespace_of(const struct item *i, struct span ns)
{
	return ns.n > 0 && i->id.group.n == 0 &&
	    span_is(i->id.kind, "Namespace") && span_eq(i->id.name, ns);
}

enum adopt_when
adopt_when(const struct apply *a, const struct set *s, const struct item *i,
    struct span object, const char **why)
{
	struct span ns = body_metadata(object, "namespace");
	struct span home = span_str(kube_namespace(a->w.kube));

	*why = NULL;
	if (adopt_is_primary(s, object))
		*why = "it is the primary itself";
	else if (span_eq(i->id.group, s->primary.group) &&
	    span_eq(i->id.kind, s->primary.kind))
		*why = "it is a primary of its own";
	else if (is_namespace_of(i, s->primary.namespace_))
		*why = "it is the namespace of the primary";
	else if (is_namespace_of(i, home))
		*why = "it is the operator's own namespace";
	else if (applyset_is_parent(object))
		*why = "it is the parent of an apply set";
	if (*why != NULL)
		return ADOPT_NEVER;
	for (size_t n = 0; n < COUNT(rows); n++) {
		const struct row *r = &rows[n];

		if (!fits(r->group, i->id.group) ||
		    !fits(r->kind, i->id.kind) || !fits(r->namespace_, ns) ||
		    !fits(r->name, i->id.name))
			continue;
		*why = r->why;
		return r->when;
	}
	return ADOPT_FREELY;
}

/* ---- whose is the object ---- */

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

/*
 * Whether object has no owner: no mark and no controller, unless that is the
 * set's primary by a reference from another namespace or from none, which
 * Kubernetes does not allow, but operators have written.
 */
static bool
is_free(const struct set *s, struct span object)
{
	struct json_elements e =
	    json_elements(json_path(object, "metadata.ownerReferences"));

	while (json_element(&e))
		if (json_type(json_get(e.value, "controller")) == JSON_TRUE &&
		    !is_stray(s, object, e.value))
			return false;
	return json_get(json_path(object, "metadata.annotations"), PROOF_MEMBER)
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

/* Whether the object has the label that allows its adoption. */
static bool
is_offered(const struct set *s, struct span object)
{
	struct span labels = json_path(object, "metadata.labels");

	return is_named(json_get_raw(labels, s->adopt), s);
}

bool
adopt_may(const struct set *s, const struct item *i, struct span object)
{
	/* An item of once is never written to an object of another operator. */
	return !i->once && s->adopt.n > 0 && is_free(s, object) &&
	    body_metadata(object, "deletionTimestamp").n == 0 &&
	    is_offered(s, object);
}

/* Appends a line of watches.yaml that would allow it, or what to do before. */
static void
add_offer(struct buf *b, const struct set *s, struct span object)
{
	struct span key = naming_label(s, object);
	struct span home = s->primary.namespace_;
	/* A member elsewhere than its primary is known by its marks. */
	bool marks =
	    home.n > 0 && !span_eq(body_metadata(object, "namespace"), home);

	if (key.n > 0)
		buf_addf(b,
		    "; \"adopt: {label: %.*s}\" in watches.yaml would take it "
		    "over",
		    SPAN_ARG(key));
	else if (body_is_made(object))
		buf_addf(b,
		    "; an operator made it, and its %s was removed: put that "
		    "back, or delete the object",
		    marks ? "annotation " PROOF_MEMBER : "owner reference");
	else
		buf_adds(b,
		    "; delete it, or give it a label for \"adopt\" in "
		    "watches.yaml");
}

/* Why not, or what to do, as the rest of a sentence; or nothing. Only an offer
 * spells the line that would allow it, or asks for a deletion. */
static void
add_hint(struct buf *b, const struct set *s, const struct item *i,
    struct span object, bool offer)
{
	if (!is_free(s, object))
		return;
	if (i->once)
		buf_adds(b, "; an item that is created once is never adopted");
	else if (s->adopt.n == 0 && offer)
		add_offer(b, s, object);
	else if (s->adopt.n == 0)
		buf_adds(b,
		    "; it is not taken over, since watches.yaml has no "
		    "\"adopt\"");
	else if (!is_offered(s, object))
		buf_addf(b, "; to be adopted it needs the label %.*s=%.*s",
		    SPAN_ARG(s->adopt), SPAN_ARG(s->primary.name));
}

/* Names the instance that made the object, and a way out. */
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

enum retry_kind
adopt_refuse(struct buf *b, const struct apply *a, const struct set *s,
    const struct item *i, struct span object)
{
	struct buf owner = BUF_INIT;
	bool going = body_metadata(object, "deletionTimestamp").n != 0;
	const char *unproven = body_unproven(&a->proof, s, i, object), *why;
	enum adopt_when when;

	if (!is_free(s, object))
		body_owner(&owner, object);
	buf_adds(b, "it exists and is not part of ");
	objref_add_label(b, &s->primary);
	if (!body_is_ours(s, object)) {
		add_instance(b, object);
	} else if (unproven != NULL) {
		buf_addf(b, "; %s", unproven);
	} else if (owner.len > 0) {
		buf_addf(b, " but of %s", buf_str(&owner));
	} else if (i->op == OP_APPLY) {
		when = adopt_when(a, s, i, object, &why);
		if (when == ADOPT_NEVER)
			buf_addf(b, "; %s, and never adopted", why);
		else
			add_hint(b, s, i, object, when == ADOPT_FREELY);
	}
	if (going)
		buf_adds(b, "; it is being deleted");
	buf_release(&owner);
	return going ? RETRY_TRANSIENT : RETRY_PERMANENT;
}

/* ---- its fields ---- */

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
 * Left over of a plain object is only what `kubectl apply` owns without
 * --server-side, as kubectl takes that over itself: k8s.io/client-go/util/csaupgrade.
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
		struct buf both = BUF_INIT;

		if (!left_over && !is_ours(e.value, i, manager)) {
			json_add_comma(b);
			buf_addspan(b, e.value);
			continue;
		}
		change = change || left_over;
		time = json_get(e.value, "time");
		fields_union(
		    &both, buf_span(&fields), json_get(e.value, "fieldsV1"));
		buf_release(&fields);
		fields = both;
	}
	if (change) {
		json_add_comma(b);
		buf_adds(b, "{\"manager\":");
		json_add_string(b, manager);
		buf_adds(b, ",\"operation\":\"Apply\",\"apiVersion\":");
		json_add_string(b, i->id.api_version);
		if (time.n > 0) {
			json_add_key(b, "time");
			buf_addspan(b, time);
		}
		buf_adds(b, ",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":");
		buf_addspan(b, buf_span(&fields));
		buf_addc(b, '}');
	}
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
		if (owners_change)
			add_replace(
			    b, "/metadata/ownerReferences", buf_span(&owners));
		if (fields_change)
			add_replace(
			    b, "/metadata/managedFields", buf_span(&fields));
		buf_addc(b, ']');
	}
	buf_release(&fields);
	buf_release(&owners);
	return fields_change || owners_change;
}
