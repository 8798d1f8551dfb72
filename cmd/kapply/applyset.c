#include "applyset.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "body.h"
#include "json/json.h"
#include "kube/kubepath.h"
#include "process/log.h"
#include "value/base64.h"
#include "value/digest.h"

#define PREFIX "applyset.kubernetes.io/"
#define KINDS PREFIX "contains-group-kinds"
#define NAMESPACES PREFIX "additional-namespaces"

/* PARENT: the parent is read or written, before or after the other stages. */
enum stage { COLLECT, PARENT, APPLY, LIST, DELETE, DONE };

/* The contents of a set: sets of texts, each an owned copy. */
struct contents {
	struct map kinds; /* Kind.group */
	struct map namespaces;
};

/* An object that the set had, that its input lacks, and that is to be deleted. */
struct doomed {
	struct doomed *next;
	struct item item;   /* owned texts: key */
	char *text;	    /* owned: identity spans point here, */
	struct arena names; /* or here, if they are decoded */
	const struct api_resource *resource; /* borrowed */
	struct span set; /* decoded: of which set it is the parent; or none */
};

typedef void then_fn(struct applyset *as, const struct kube_answer *a);

struct applyset {
	struct apply *apply;
	const char *spelling;
	const struct api_resource *parent;
	char *name, *id; /* owned */
	enum stage stage;
	bool busy; /* a request, or its retry, is under way */
	struct set *first, **last;
	struct contents input, all; /* all: and of the parent */
	struct map applied;	    /* uids */
	struct buf written; /* the parent, before anything was applied */
	bool keeps_all; /* not all was pruned: the parent remembers all of it */
	size_t kind_at, namespace_at; /* the LIST under way */
	const struct api_resource *listed;
	struct doomed *doomed; /* the first is being deleted */
	/* The request under way, for its retry. */
	enum kube_verb verb;
	struct buf path, body;
	const char *accept;
	then_fn *then;
	struct kube_backoff backoff;
	struct timer timer;
};

/* ---- sets of texts ---- */

static void
texts_release(struct map *m)
{
	char *text;

	for (size_t i = 0; (text = map_next(m, &i)) != NULL;)
		free(text);
	map_release(m);
}

/* Empty texts are left out. */
static void
texts_add(struct map *m, struct span text)
{
	char *copy;

	if (text.n == 0 || map_get(m, text) != NULL)
		return;
	copy = mem_dup(text.p, text.n);
	map_put(m, span_make(copy, text.n), copy);
}

/* Appends a member: a comma list of all but one, sorted. */
static void
texts_join(
    struct buf *b, const char *key, const struct map *m, struct span except)
{
	char **sorted = (char **)map_sorted(m);
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < m->count; i++) {
		if (span_is(except, sorted[i]))
			continue;
		if (text.len > 0)
			buf_addc(&text, ',');
		buf_adds(&text, sorted[i]);
	}
	json_add_key(b, key);
	json_add_string(b, buf_span(&text));
	buf_release(&text);
	free(sorted);
}

/* ---- the parent ---- */

static struct span
note(struct span object, const char *key)
{
	return json_raw_string(
	    json_get(json_path(object, "metadata.annotations"), key));
}

bool
applyset_is_parent(struct span object)
{
	return json_get(json_path(object, "metadata.labels"), PREFIX "id").n !=
	    0;
}

static void
add_remembered(struct contents *c, struct span parent)
{
	struct span kinds = note(parent, KINDS);
	struct span namespaces = note(parent, NAMESPACES);

	while (kinds.n > 0)
		texts_add(&c->kinds, span_cut(&kinds, ','));
	while (namespaces.n > 0)
		texts_add(&c->namespaces, span_cut(&namespaces, ','));
}

/*
 * Whether the object cannot be the parent of the set with this id: it is that of
 * another one, or of other tooling, or lacks an annotation, so that nobody knows
 * where members are (both are always written, be it as empty texts). Appends
 * why, as the end of "apply set NAME".
 */
static bool
is_unfit(struct buf *why, struct span object, const char *id)
{
	struct span notes = json_path(object, "metadata.annotations");
	struct span labels = json_path(object, "metadata.labels");
	bool kinds = json_get(notes, KINDS).n == 0;

	if (!json_is(json_get(labels, PREFIX "id"), id)) {
		buf_adds(why,
		    ": the parent exists, and its label " PREFIX
		    "id is not that of this set");
		return true;
	}
	if (!span_starts(note(object, PREFIX "tooling"), "kpipe/")) {
		buf_adds(why,
		    " belongs to other tooling (annotation " PREFIX "tooling)");
		return true;
	}
	if (!kinds && json_get(notes, NAMESPACES).n != 0)
		return false;
	buf_addf(why,
	    ": the parent lacks its annotation %s: write it again, with the %s "
	    "of all objects that have the label " PREFIX
	    "part-of=%s, as in \"%s\"",
	    kinds ? KINDS : NAMESPACES, kinds ? "kinds" : "namespaces", id,
	    kinds ? "ConfigMap,Deployment.apps" : "one,two");
	return true;
}

/* ---- what is to be deleted ---- */

/* Made from an object of a list, which has no kind. Owned. */
static struct doomed *
doomed_new(const struct api_resource *r, struct span object)
{
	struct doomed *d = mem_zalloc(sizeof(*d));
	struct objref *id = &d->item.id;
	struct buf key = BUF_INIT, text = BUF_INIT;
	struct span metadata;

	if (*r->group != '\0')
		buf_addf(&text, "%s/", r->group);
	buf_adds(&text, r->version);
	buf_addc(&text, ' ');
	buf_addspan(&text, object);
	d->text = buf_take(&text);
	id->api_version = span_make(d->text, strcspn(d->text, " "));
	object.p = d->text + id->api_version.n + 1;
	metadata = json_get(object, "metadata");
	id->kind = span_str(r->kind);
	id->group = span_str(r->group);
	id->name = json_name(json_get(metadata, "name"), &d->names);
	id->namespace_ = json_name(json_get(metadata, "namespace"), &d->names);
	id->uid = json_name(json_get(metadata, "uid"), &d->names);
	d->set = json_name(
	    json_get(json_get(metadata, "labels"), PREFIX "id"), &d->names);
	d->item.op = OP_DELETE;
	d->resource = r;
	objref_add_key(&key, id);
	d->item.key = buf_take(&key);
	return d;
}

static void
doomed_free(struct doomed *d)
{
	arena_release(&d->names);
	free(d->item.key);
	free(d->text);
	free(d);
}

static bool
is_kind(const struct doomed *d, const char *group, const char *kind)
{
	return span_is(d->item.id.group, group) &&
	    span_is(d->item.id.kind, kind);
}

/* The name of a definition is that of its resource, a dot and its group. */
static bool
defines(const struct doomed *d, const struct api_resource *r)
{
	struct buf name = BUF_INIT;
	bool same;

	if (r == NULL)
		return false;
	buf_addf(&name, "%s.%s", r->plural, r->group);
	same = span_eq(d->item.id.name, buf_span(&name));
	buf_release(&name);
	return same;
}

static const struct api_resource *
resource_of(const struct applyset *as, const char *text)
{
	struct span kind, group;

	objref_split_kind(span_str(text), &kind, &group);
	return discovery_find_kind(as->apply->w.discovery, group, kind);
}

static bool
defines_any(const struct doomed *d, const struct applyset *as)
{
	const char *kind;

	for (size_t i = 0; (kind = map_next(&as->input.kinds, &i)) != NULL;)
		if (defines(d, resource_of(as, kind)))
			return true;
	return false;
}

static struct span
parent_namespace(const struct applyset *as)
{
	return as->parent->namespaced
	    ? span_str(kube_namespace(as->apply->w.kube))
	    : span_str("");
}

/*
 * Why it must stay, or NULL: its deletion would delete objects of the input as
 * well (it is a Namespace, or the definition of a kind, that they have), or the
 * set's parent: with it goes what the set remembers. So it does of another set
 * whose parent it is. Static.
 */
static const char *
doomed_stays(const struct doomed *d, const struct applyset *as)
{
	const struct objref *id = &d->item.id;
	bool namespace_ = is_kind(d, "", "Namespace");
	bool definition =
	    is_kind(d, "apiextensions.k8s.io", "CustomResourceDefinition");

	if (is_kind(d, as->parent->group, as->parent->kind) &&
	    span_eq(id->namespace_, parent_namespace(as)) &&
	    span_is(id->name, as->name))
		return "not deleted: it is the parent of the set";
	if (d->set.n != 0)
		return "not deleted: it is the parent of another apply set, "
		       "which would forget its objects";
	if (namespace_ && map_get(&as->input.namespaces, id->name) != NULL)
		return "not deleted: objects of the input are in it";
	if (namespace_ && span_eq(id->name, parent_namespace(as)))
		return "not deleted: the parent of the set is in it";
	if (definition && defines_any(d, as))
		return "not deleted: objects of the input are of its kind";
	if (definition && defines(d, as->parent))
		return "not deleted: the parent of the set is of its kind";
	return NULL;
}

/* ---- the set ---- */

struct applyset *
applyset_new(struct apply *a, const char *name)
{
	struct applyset *as = mem_zalloc(sizeof(*as));

	as->apply = a;
	as->spelling = name;
	as->last = &as->first;
	return as;
}

void
applyset_free(struct applyset *as)
{
	struct set *s;
	struct doomed *d;

	if (as == NULL)
		return;
	loop_cancel(as->apply->w.loop, &as->timer);
	while ((s = as->first) != NULL) {
		as->first = s->next;
		set_free(s);
	}
	while ((d = as->doomed) != NULL) {
		as->doomed = d->next;
		doomed_free(d);
	}
	texts_release(&as->input.kinds);
	texts_release(&as->input.namespaces);
	texts_release(&as->all.kinds);
	texts_release(&as->all.namespaces);
	texts_release(&as->applied);
	buf_release(&as->written);
	buf_release(&as->path);
	buf_release(&as->body);
	free(as->name);
	free(as->id);
	free(as);
}

void
applyset_take(struct applyset *as, struct set *s)
{
	*as->last = s;
	as->last = &s->next;
}

void
applyset_applied(struct applyset *as, struct span uid)
{
	texts_add(&as->applied, uid);
}

/* The message is "apply set NAME" and then fmt. */
static void give_up(struct applyset *as, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
give_up(struct applyset *as, const char *fmt, ...)
{
	struct buf why = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&why, fmt, ap);
	va_end(ap);
	log_error("apply set %s%s", as->spelling, buf_str(&why));
	buf_release(&why);
	as->apply->w.failed = true;
	as->stage = DONE;
}

/* ---- requests ---- */

static void answered_step(void *arg, const struct kube_answer *answer);

static void
send_step(void *arg)
{
	struct applyset *as = arg;

	kube_start(as->apply->w.kube,
	    &(struct kube_request){.verb = as->verb,
		.path = buf_str(&as->path),
		.body = buf_span(&as->body),
		.accept = as->accept},
	    answered_step, as);
}

/* Transient errors are retried until --timeout ends the run. */
static void
answered_step(void *arg, const struct kube_answer *answer)
{
	struct applyset *as = arg;
	struct buf b = BUF_INIT;

	if (answer->error.kind == ERR_TRANSIENT) {
		loop_after(as->apply->w.loop, &as->timer,
		    kube_backoff_next(&as->backoff, 200, 15000), send_step, as);
		return;
	}
	as->busy = false;
	as->backoff = (struct kube_backoff){0};
	if (answer->error.kind == ERR_NONE || answer->code == 404 ||
	    (as->verb == KUBE_DELETE && answer->code == 409)) {
		as->then(as, answer);
		return;
	}
	kube_error_public(&b, &answer->error, span_str("Secret"));
	give_up(as, ": %s", buf_str(&b));
	buf_release(&b);
}

/* Begins a request for the object of that name, or for all (SPAN_NONE). */
static void
begin_path(struct applyset *as, const struct api_resource *r, struct span ns,
    struct span name)
{
	buf_reset(&as->path);
	buf_reset(&as->body);
	as->accept = NULL;
	discovery_path(&as->path, r, ns, name, NULL);
}

/* Path and body are there. */
static void
request(struct applyset *as, enum kube_verb verb, then_fn *then)
{
	as->verb = verb;
	as->then = then;
	as->busy = true;
	send_step(as);
}

static void
read_parent(struct applyset *as, then_fn *then)
{
	begin_path(as, as->parent, parent_namespace(as), span_str(as->name));
	request(as, KUBE_GET, then);
}

static void
write_parent(struct applyset *as, const struct contents *c, then_fn *then)
{
	const struct api_resource *r = as->parent;
	struct buf *b = &as->body;

	begin_path(as, r, parent_namespace(as), span_str(as->name));
	kube_query_add(&as->path, "fieldManager", span_str("kpipe-applyset"));
	kube_query_add(&as->path, "force", span_str("true"));
	if (writer_opts.dry_run)
		kube_query_add(&as->path, "dryRun", span_str("All"));
	buf_adds(b, "{\"apiVersion\":\"");
	if (*r->group != '\0')
		buf_addf(b, "%s/", r->group);
	buf_addf(b, "%s\",\"kind\":\"%s\",\"metadata\":{\"name\":", r->version,
	    r->kind);
	json_add_str(b, as->name);
	buf_adds(b, ",\"labels\":{\"" PREFIX "id\":");
	json_add_str(b, as->id);
	buf_adds(b,
	    "},\"annotations\":{\"" PREFIX "tooling\":"
	    "\"kpipe/v" KPIPE_VERSION "\"");
	texts_join(b, KINDS, &c->kinds, SPAN_NONE);
	texts_join(b, NAMESPACES, &c->namespaces, parent_namespace(as));
	buf_adds(b, "}}}");
	request(as, KUBE_APPLY, then);
}

/* ---- before anything is applied ---- */

/* Members may be anywhere in the union now: all is applied. */
static void
wrote_union(struct applyset *as, const struct kube_answer *answer)
{
	struct apply *a = as->apply;
	struct set *s;

	if (answer->error.kind != ERR_NONE) {
		give_up(as, ": %s", answer->error.message);
		return;
	}
	buf_addspan(&as->written, answer->body);
	as->stage = APPLY;
	a->label = PREFIX "part-of";
	a->label_value = as->id;
	while ((s = as->first) != NULL) {
		as->first = s->next;
		s->next = NULL;
		engine_submit(a, s);
	}
	as->last = &as->first;
}

static void
got_parent(struct applyset *as, const struct kube_answer *a)
{
	struct buf why = BUF_INIT;

	if (a->code != 404 && is_unfit(&why, a->body, as->id)) {
		give_up(as, "%s", buf_str(&why));
	} else {
		add_remembered(&as->all, a->body);
		write_parent(as, &as->all, wrote_union);
	}
	buf_release(&why);
}

static struct span
namespace_of(const struct applyset *as, const struct objref *id)
{
	const struct api_resource *r = discovery_find(
	    as->apply->w.discovery, id->group, id->version, id->kind);

	if (r != NULL && !r->namespaced)
		return SPAN_NONE;
	if (id->namespace_.n != 0)
		return id->namespace_;
	return r == NULL ? SPAN_NONE
			 : span_str(kube_namespace(as->apply->w.kube));
}

/* Kinds and namespaces of the input; false if it holds members already. */
static bool
survey(struct applyset *as)
{
	for (const struct set *s = as->first; s != NULL; s = s->next) {
		const struct item *i = &s->items[0];
		struct span ns = namespace_of(as, &i->id);
		struct buf kind = BUF_INIT;

		if (json_get(
			json_path(i->text, "metadata.labels"), PREFIX "part-of")
			.n != 0) {
			give_up(as,
			    ": %s has the label " PREFIX "part-of already",
			    i->key);
			return false;
		}
		objref_add_kind(&kind, i->id.kind, i->id.group);
		texts_add(&as->input.kinds, buf_span(&kind));
		texts_add(&as->all.kinds, buf_span(&kind));
		texts_add(&as->input.namespaces, ns);
		texts_add(&as->all.namespaces, ns);
		buf_release(&kind);
	}
	return true;
}

/*
 * The parent, and the set's id, which it and its members carry:
 * applyset-<base64url of SHA-256(NAME.NAMESPACE.KIND.GROUP)>-v1
 * (computeApplySetID in k8s.io/kubectl pkg/cmd/apply/applyset.go).
 */
static bool
find_parent(struct applyset *as)
{
	const char *slash = strchr(as->spelling, '/');
	char *resource = slash == NULL
	    ? mem_strdup("secrets")
	    : mem_dup(as->spelling, (size_t)(slash - as->spelling));
	unsigned char sum[DIGEST_SIZE];
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;

	as->parent = discovery_resolve(as->apply->w.discovery, resource, &err);
	free(resource);
	if (as->parent == NULL) {
		give_up(as, ": %s", err.message);
		return false;
	}
	as->name = mem_strdup(slash == NULL ? as->spelling : slash + 1);
	buf_addf(&b, "%s.%.*s.%s.%s", as->name, SPAN_ARG(parent_namespace(as)),
	    as->parent->kind, as->parent->group);
	digest_sha256(buf_span(&b), sum);
	buf_reset(&b);
	buf_adds(&b, "applyset-");
	base64_add_url(&b, span_make((const char *)sum, sizeof(sum)));
	buf_adds(&b, "-v1");
	as->id = buf_take(&b);
	return true;
}

static void
begin(struct applyset *as)
{
	if (as->apply->w.failed) {
		give_up(
		    as, ": nothing is applied, for the input has bad lines");
		return;
	}
	if (as->first == NULL && !as->apply->o->allow_empty) {
		give_up(as,
		    ": the input has no plain object; --allow-empty deletes "
		    "all objects of the set");
		return;
	}
	if (!find_parent(as) || !survey(as))
		return;
	texts_add(&as->all.namespaces, parent_namespace(as));
	as->stage = PARENT;
	read_parent(as, got_parent);
}

/* ---- after all was applied ---- */

/* Objects of it may be there, and be pruned by a later run. */
static void
not_listed(struct applyset *as, const char *kind)
{
	log_error("apply set %s: %s is not served: nothing of it is pruned "
		  "before a run that finds it; if its definition is gone for "
		  "good, and all its objects with it, remove it from the "
		  "annotation " KINDS " of the parent",
	    as->spelling, kind);
	as->keeps_all = true;
}

static void
listed(struct applyset *as, const struct kube_answer *a)
{
	struct json_elements e = json_elements(json_get(a->body, "items"));

	if (a->code == 404)
		not_listed(as, as->listed->kind);
	while (a->code == 200 && json_element(&e)) {
		struct span object = e.value;
		struct doomed *d;

		if (map_get(&as->applied, body_metadata(object, "uid")) !=
			NULL ||
		    body_metadata(object, "deletionTimestamp").n != 0)
			continue;
		d = doomed_new(as->listed, object);
		/* An operator may have copied the label, or the set has written
		 * to what it made: it is its owner's. */
		if (body_is_made(object)) {
			log_warning(
			    "apply set %s: %s stays, for an operator made it: "
			    "remove its label " PREFIX "part-of",
			    as->spelling, d->item.key);
			doomed_free(d);
			continue;
		}
		d->next = as->doomed;
		as->doomed = d;
	}
}

static void
list_collection(struct applyset *as, struct span ns)
{
	struct buf selector = BUF_INIT;

	begin_path(as, as->listed, ns, SPAN_NONE);
	as->accept = "application/json;as=PartialObjectMetadataList;"
		     "g=meta.k8s.io;v=v1,application/json";
	buf_addf(&selector, PREFIX "part-of=%s", as->id);
	kube_query_add(&as->path, "labelSelector", buf_span(&selector));
	buf_release(&selector);
	request(as, KUBE_LIST, listed);
}

/* The next kind and namespace; false when all were listed. */
static bool
list_next(struct applyset *as)
{
	const struct contents *all = &as->all;
	char **kinds = (char **)map_sorted(&all->kinds);
	char **namespaces = (char **)map_sorted(&all->namespaces);

	while (!as->busy && as->kind_at < all->kinds.count) {
		as->listed = resource_of(as, kinds[as->kind_at]);
		if (as->listed == NULL) {
			not_listed(as, kinds[as->kind_at++]);
		} else if (!as->listed->namespaced) {
			as->kind_at++;
			list_collection(as, SPAN_NONE);
		} else if (as->namespace_at < all->namespaces.count) {
			list_collection(
			    as, span_str(namespaces[as->namespace_at++]));
		} else {
			as->namespace_at = 0;
			as->kind_at++;
		}
	}
	free(kinds);
	free(namespaces);
	return as->busy;
}

/* The first of the doomed has its result. */
static void
end_doomed(struct applyset *as, const char *result, const char *message)
{
	struct doomed *d = as->doomed;

	as->doomed = d->next;
	report_result(as->apply, NULL, &d->item, result, message);
	doomed_free(d);
}

/* The object may be there for long: the set forgets it. */
static void
pruned(struct applyset *as, const struct kube_answer *a)
{
	struct buf why = BUF_INIT;

	if (body_awaits(&why, a->body))
		log_info("apply set %s: %s: %s", as->spelling,
		    as->doomed->item.key, buf_str(&why));
	end_doomed(as, "deleted", why.len > 0 ? buf_str(&why) : NULL);
	buf_release(&why);
}

static bool
delete_next(struct applyset *as)
{
	struct doomed *d;
	const char *why;

	while (
	    (d = as->doomed) != NULL && (why = doomed_stays(d, as)) != NULL) {
		log_error(
		    "apply set %s: %s: %s", as->spelling, d->item.key, why);
		as->keeps_all = true;
		end_doomed(as, "failed", why);
	}
	if (d == NULL)
		return false;
	begin_path(as, d->resource, d->item.id.namespace_, d->item.id.name);
	body_delete(
	    &as->body, d->item.id.uid, SPAN_NONE, writer_opts.dry_run != 0);
	request(as, KUBE_DELETE, pruned);
	return true;
}

static void
wrote_exact(struct applyset *as, const struct kube_answer *answer)
{
	if (answer->error.kind != ERR_NONE)
		give_up(as, ": %s", answer->error.message);
	as->stage = DONE;
}

/* The parent remembers what there is by now, for the next run. */
static void
write_exact(struct applyset *as)
{
	struct writer *w = &as->apply->w;

	w->failed = w->failed || as->keeps_all;
	write_parent(as, as->keeps_all ? &as->all : &as->input, wrote_exact);
}

/* Objects of another run may be there, and ours unknown to it. */
static void
got_parent_again(struct applyset *as, const struct kube_answer *a)
{
	struct span before = buf_span(&as->written);

	if (!span_eq(note(a->body, KINDS), note(before, KINDS)) ||
	    !span_eq(note(a->body, NAMESPACES), note(before, NAMESPACES))) {
		log_error("apply set %s: another run has changed it meanwhile: "
			  "run again, one at a time",
		    as->spelling);
		add_remembered(&as->all, a->body);
		as->keeps_all = true;
	}
	write_exact(as);
}

bool
applyset_step(struct applyset *as)
{
	struct apply *a = as->apply;

	if (as->busy)
		return false;
	if (as->stage == COLLECT && a->w.ready)
		begin(as);
	if (as->stage == APPLY && engine_settled(a)) {
		if (a->w.failed || a->w.keys.count > 0) {
			engine_give_up(a);
			give_up(
			    as, ": nothing is pruned, for not all was applied");
		} else {
			as->stage = LIST;
		}
	}
	if (as->stage == LIST && !as->busy && !list_next(as))
		as->stage = DELETE;
	if (as->stage == DELETE && !as->busy && !delete_next(as)) {
		as->stage = PARENT;
		if (writer_opts.dry_run)
			write_exact(as);
		else
			read_parent(as, got_parent_again);
	}
	return as->stage == DONE && !as->busy;
}
