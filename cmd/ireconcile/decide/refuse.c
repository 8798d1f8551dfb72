#include "decide/refuse.h"

#include "base/array.h"
#include "base/nearest.h"
#include "decide/patches.h"
#include "json/json.h"
#include "json/stream.h"
#include "json/jvtext.h"
#include "state/marks.h"
#include "value/base64.h"
#include "value/datakind.h"
#include "value/objref.h"

/* Whether the item is the primary, also in another version of the API: group
 * and kind identify a kind. */
static bool
is_primary(const struct primary *p, const struct desired_item *i)
{
	return i->kind == p->entry->uses[0]->kind &&
	    span_eq(primary_item_key(i), primary_key(p));
}

static void
add_list(struct buf *b, const struct textlist *list)
{
	for (size_t n = 0; n < list->count; n++)
		buf_addf(b, "%s%s", n > 0 ? ", " : "", list->items[n]);
}

static int
refuse_namespace(const struct primary *p, const struct use *u,
    const struct desired_item *i, struct span ns, struct err *err)
{
	struct buf watched = BUF_INIT;

	/* The list of namespaces comes last in the message: it may be long. */
	if (u->conf->namespace_selector != NULL) {
		entry_add_places(&watched, u->conf);
		err_set(err, ERR_PERMANENT,
		    "%s would be created and never observed again: namespace "
		    "%.*s is not watched for %s, of the dependent at %s:%d; "
		    "give the namespace such labels, or change what is "
		    "watched: %s",
		    i->label, SPAN_ARG(ns), u->kind->name, p->entry->conf->path,
		    u->conf->line, buf_str(&watched));
		buf_release(&watched);
		return -1;
	}
	add_list(&watched, &u->conf->namespaces);
	err_set(err, ERR_PERMANENT,
	    "%s would be created and never observed again: namespace %.*s is "
	    "not watched for %s; write it into the dependent at %s:%d, or [] "
	    "for all: \"namespaces: [%.*s, %s]\"",
	    i->label, SPAN_ARG(ns), u->kind->name, p->entry->conf->path,
	    u->conf->line, SPAN_ARG(ns), buf_str(&watched));
	buf_release(&watched);
	return -1;
}

static int
refuse_labels(const struct primary *p, const struct use *u,
    const struct desired_item *i, struct err *err)
{
	return err_set(err, ERR_PERMANENT,
	    "%s would be created and never observed again: its labels do not "
	    "match \"%s\", the selector of the dependent at %s:%d; give it "
	    "such labels, or change the selector",
	    i->label, u->conf->selector, p->entry->conf->path, u->conf->line);
}

/* The right that an item needs in watches.yaml. */
struct right {
	enum use_role role;
	const char *list, *one, *key;
};

static struct right
right_for(unsigned marks)
{
	if (marks & ITEM_FOREIGN)
		return (struct right){
		    USE_RELATED, "related", "related kind", "delete"};
	if (marks & ITEM_PATCH)
		return (struct right){
		    USE_RELATED, "related", "related kind", "patch"};
	return (struct right){
	    USE_DEPENDENT, "dependents", "dependent", "manage"};
}

/* The kind with its group, with another one, or one of a similar name. */
static const struct use *
nearest_use(const struct entry *e, enum use_role role, struct span group,
    struct span kind)
{
	const struct use *near = NULL;
	struct nearest n;

	nearest_init(&n, kind);
	for (size_t i = 0; i < e->use_count; i++) {
		const struct use *u = e->uses[i];
		const char *before = n.name.p;

		if (u->role != role)
			continue;
		if (span_is(kind, u->conf->kind) &&
		    span_is(group, u->conf->group))
			return u;
		nearest_offer(&n, span_str(u->conf->kind), 0);
		if (n.name.p != before)
			near = u;
	}
	return near;
}

int
refuse_kind(const struct entry *e, unsigned marks, struct span version,
    struct span kind, struct err *err)
{
	struct right r = right_for(marks);
	struct span group = objref_group(version);
	const struct use *u = nearest_use(e, r.role, group, kind);
	struct buf hint = BUF_INIT;

	if (u == NULL && span_is(kind, e->conf->primary.kind) &&
	    span_is(group, e->conf->primary.group))
		buf_adds(&hint, "it is the kind of the primaries");
	else if (u == NULL)
		buf_addf(&hint,
		    "write \"- {apiVersion: %.*s, kind: %.*s, %s: true}\" into "
		    "%s of the entry at %s:%d",
		    SPAN_ARG(version), SPAN_ARG(kind), r.key, r.list,
		    e->conf->path, e->conf->line);
	else if (!span_is(kind, u->conf->kind))
		buf_addf(&hint, "did you mean %s, as at %s:%d?", u->conf->kind,
		    e->conf->path, u->conf->line);
	else if (!span_is(group, u->conf->group))
		buf_addf(&hint, "the one at %s:%d is of %s", e->conf->path,
		    u->conf->line, u->conf->api_version);
	else
		buf_addf(&hint, "write \"%s: true\" at %s:%d", r.key,
		    e->conf->path, u->conf->line);
	err_set(err, ERR_PERMANENT,
	    "%.*s of %.*s is not a %s with %s: true; %s", SPAN_ARG(kind),
	    SPAN_ARG(version), r.one, r.key, buf_str(&hint));
	buf_release(&hint);
	return -1;
}

int
refuse_unowned(
    const struct primary *p, const struct desired_item *i, struct err *err)
{
	const struct watch_entry *conf = p->entry->conf;
	const char *group = conf->primary.group;

	if (conf->finalizer != NULL)
		return err_set(err, ERR_PERMANENT,
		    "%s cannot have this owner, and \"marks: false\" of the "
		    "entry at %s:%d allows nothing else",
		    i->label, conf->path, conf->line);
	return err_set(err, ERR_PERMANENT,
	    "%s cannot have this owner, so it has to be cleaned up; write "
	    "\"finalizer: %s/cleanup\" into the entry at %s:%d",
	    i->label, group[0] != '\0' ? group : "example.com", conf->path,
	    conf->line);
}

int
refuse_primary(
    const struct primary *p, const struct desired_item *i, struct err *err)
{
	if (!is_primary(p, i))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s is the primary itself, which belongs to its users and "
	    "is not an item: `status` writes its status, and labels "
	    "and data of the operator's go into an object of their own",
	    i->label);
}

/* A map of texts in an item. */
struct texts {
	const char *before; /* path of the map's parent: ".metadata" or "" */
	const char *member;
	const char *plain; /* NULL: texts are plain; else they are base64, and
			      plain texts belong into this member */
};

static void
add_path(struct buf *b, const struct texts *t)
{
	buf_adds(b, t->before);
	jvtext_add_key(b, span_str(t->member));
}

static bool
is_base64(struct span text)
{
	struct buf b = BUF_INIT;
	bool yes = base64_decode(text, BASE64_LINES, &b, NULL) == 0;

	buf_release(&b);
	return yes;
}

static int
refuse_value(const struct desired_item *i, const struct texts *t,
    const char *path, jv value_peek, struct err *err)
{
	jv_kind kind = jv_get_kind(value_peek);

	if (kind == JV_KIND_NULL)
		return 0;
	if (kind != JV_KIND_STRING)
		return err_set(err, ERR_PERMANENT,
		    "%s: %s is %s, and has to be a text: %s", i->label, path,
		    jvtext_sort(value_peek),
		    kind == JV_KIND_ARRAY || kind == JV_KIND_OBJECT
			? "tojson or to_yaml make one"
			: "tostring makes one");
	if (t->plain == NULL || is_base64(jvtext_span(value_peek)))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s: %s is not base64: @base64 makes it of a text, or write the "
	    "text into .%s",
	    i->label, path, t->plain);
}

/* The server's answer to others is a 500 or 400 that names no field, or quotes
 * the value. */
static int
refuse_values(const struct desired_item *i, jv of_peek, const struct texts *t,
    struct err *err)
{
	jv values = jvtext_peek(of_peek, t->member);
	struct buf path = BUF_INIT;
	struct jvtext_members m;
	int rc = 0;

	if (!jv_is_valid(values) || jv_get_kind(values) == JV_KIND_NULL)
		return 0;
	add_path(&path, t);
	if (jv_get_kind(values) != JV_KIND_OBJECT) {
		err_set(err, ERR_PERMANENT,
		    "%s: %s is %s, and has to be an object of texts", i->label,
		    buf_str(&path), jvtext_sort(values));
		buf_release(&path);
		return -1;
	}
	jvtext_members_init(&m, values, JVTEXT_KEPT);
	for (size_t n = 0, start = path.len; n < m.count && rc == 0; n++) {
		buf_truncate(&path, start);
		jvtext_add_key(&path, m.items[n].key);
		rc = refuse_value(i, t, buf_str(&path), m.items[n].value, err);
	}
	jvtext_members_release(&m);
	buf_release(&path);
	return rc;
}

static int
refuse_data(const struct desired_item *i, jv object_peek, struct span kind,
    struct err *err)
{
	static const struct texts secret[] = {
	    {"", "data", "stringData"}, {"", "stringData", NULL}};
	static const struct texts map[] = {
	    {"", "data", NULL}, {"", "binaryData", "data"}};
	const struct texts *t = span_is(kind, "Secret") ? secret : map;

	if (refuse_values(i, object_peek, &t[0], err) != 0)
		return -1;
	return refuse_values(i, object_peek, &t[1], err);
}

static int
refuse_texts(const struct desired_item *i, jv object_peek, struct err *err)
{
	static const struct texts labels = {".metadata", "labels", NULL};
	static const struct texts notes = {".metadata", "annotations", NULL};
	jv metadata = jvtext_peek(object_peek, "metadata");
	struct span kind = jvtext_span(jvtext_peek(object_peek, "kind"));
	struct span version =
	    jvtext_span(jvtext_peek(object_peek, "apiVersion"));

	if (refuse_values(i, metadata, &labels, err) != 0 ||
	    refuse_values(i, metadata, &notes, err) != 0)
		return -1;
	return datakind(objref_group(version), kind)
	    ? refuse_data(i, object_peek, kind, err)
	    : 0;
}

/* The pod spec of an object of Kubernetes' own groups; invalid: none. path gets
 * where it is, if it is not NULL. */
static jv
pod_spec(jv object_peek, struct buf *path)
{
	static const char *const steps[] = {
	    "jobTemplate", "spec", "template", "spec"};
	struct span group =
	    objref_group(jvtext_span(jvtext_peek(object_peek, "apiVersion")));
	jv spec = jvtext_peek(object_peek, "spec");

	if (path != NULL)
		buf_adds(path, ".spec");
	if (group.n != 0 && !span_is(group, "apps") && !span_is(group, "batch"))
		return jv_invalid();
	for (size_t n = 0; n < COUNT(steps); n++) {
		jv next = jvtext_peek(spec, steps[n]);

		if (!jv_is_valid(next))
			continue;
		spec = next;
		if (path != NULL)
			buf_addf(path, ".%s", steps[n]);
	}
	return spec;
}

/* The server also stores such a field under its newer name, which we would not
 * own: when the program drops the field, both would stay. */
static int
refuse_alias(const struct desired_item *i, jv object_peek, struct err *err)
{
	struct buf path = BUF_INIT;
	jv spec = pod_spec(object_peek, NULL);

	if (jvtext_span(jvtext_peek(spec, "serviceAccount")).n == 0 ||
	    jvtext_span(jvtext_peek(spec, "serviceAccountName")).n > 0)
		return 0;
	pod_spec(object_peek, &path);
	err_set(err, ERR_PERMANENT,
	    "%s: %s.serviceAccount is stored as serviceAccountName, too, which "
	    "would stay when it is dropped: write serviceAccountName instead",
	    i->label, buf_str(&path));
	buf_release(&path);
	return -1;
}

int
refuse_item(const struct primary *p, const struct use *u,
    const struct desired_item *i, jv object_peek, struct err *err)
{
	jv metadata = jvtext_peek(object_peek, "metadata");
	jv labels = jvtext_peek(metadata, "labels");
	struct span ns = jvtext_span(jvtext_peek(metadata, "namespace"));
	struct buf text = BUF_INIT;
	bool selected;

	if (refuse_primary(p, i, err) != 0 ||
	    refuse_texts(i, object_peek, err) != 0 ||
	    refuse_alias(i, object_peek, err) != 0)
		return -1;
	if (!entry_use_looks_at(u, ns))
		return refuse_namespace(p, u, i, ns, err);
	if (jv_get_kind(labels) == JV_KIND_OBJECT &&
	    jvtext_add(&text, labels, err) != 0) {
		buf_release(&text);
		return -1;
	}
	selected = entry_use_selects(u, buf_span(&text));
	buf_release(&text);
	return selected ? 0 : refuse_labels(p, u, i, err);
}

int
refuse_patch(const struct primary *p, const struct desired_item *i,
    jv object_peek, struct err *err)
{
	if (refuse_primary(p, i, err) != 0 ||
	    refuse_texts(i, object_peek, err) != 0)
		return -1;
	return patches_refuse(i, object_peek, err);
}

int
refuse_retained(const struct primary *p, const struct use *u,
    const struct desired_item *i, jv object_peek, struct err *err)
{
	jv metadata = jvtext_peek(object_peek, "metadata");
	jv owners = jvtext_peek(metadata, "ownerReferences");

	if (!u->conf->retain)
		return err_set(err, ERR_PERMANENT,
		    "%s cannot be retained: write \"retain: true\" into the "
		    "dependent at %s:%d",
		    i->label, p->entry->conf->path, u->conf->line);
	if (jv_is_valid(owners))
		return err_set(err, ERR_PERMANENT,
		    "%s is retained and has ownerReferences: the garbage "
		    "collector would delete it with its owner",
		    i->label);
	return 0;
}

int
refuse_owned(const struct primary *p, const struct desired_item *i,
    const struct cache_object *o, struct err *err)
{
	struct json_elements e =
	    json_elements(cache_object_meta(o, "ownerReferences"));

	while (json_element(&e))
		if (span_eq(json_raw_string(json_get(e.value, "uid")),
			cache_object_uid(p->object)))
			return err_set(err, ERR_PERMANENT,
			    "%s is retained, but another client has written "
			    "%s into its ownerReferences: remove that, or the "
			    "garbage collector deletes it with its owner",
			    i->label, p->name);
	return 0;
}

static bool
has_primaries(const struct cache_kind *k, const struct cache_object *o)
{
	for (size_t n = 0; n < k->use_count; n++)
		if (k->uses[n]->role == USE_PRIMARY &&
		    entry_use_covers(k->uses[n], o))
			return true;
	return false;
}

int
refuse_adoption(
    const struct primary *p, const struct desired *set, struct err *err)
{
	for (size_t n = 0; p->entry->conf->adopt && n < set->count; n++) {
		const struct desired_item *i = &set->items[n];
		const struct cache_object *o =
		    cache_get(i->kind, primary_item_key(i));

		if ((i->marks & ITEM_ALONE) || o == NULL ||
		    !has_primaries(i->kind, o) ||
		    marks_is_member(p->entry, o, p->object))
			continue;
		return err_set(err, ERR_PERMANENT,
		    "%s is a primary of its own and not part of %s: it is not "
		    "adopted",
		    i->label, p->name);
	}
	return 0;
}

int
refuse_too_large(const struct primary *p, struct err *err)
{
	const struct cache_object *o = entry_too_large(p->entry, p);
	struct buf label = BUF_INIT;

	if (o == NULL)
		return 0;
	cache_object_add_label(&label, o);
	err_set(err, ERR_PERMANENT,
	    "%s is longer than %s as JSON, so it cannot be read: make it "
	    "smaller, or delete it",
	    buf_str(&label), STREAM_MAX_TEXT);
	buf_release(&label);
	return -1;
}
