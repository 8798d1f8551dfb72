#include "applyset.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "body.h"
#include "json/json.h"
#include "kube/kubepath.h"
#include "kube/retry.h"
#include "plain/applysetid.h"
#include "plain/doomed.h"
#include "plain/setparent.h"
#include "plain/textset.h"
#include "process/log.h"

#define PREFIX SETPARENT_PREFIX

enum stage {
	COLLECT,
	READ_PARENT,
	WRITE_UNION,
	APPLY,
	LIST,
	DELETE,
	READ_AGAIN,
	WRITE_EXACT,
	DONE
};

struct applyset {
	struct apply *apply;
	const char *spelling;
	const struct api_resource *parent;
	char *name, *id; /* owned */
	enum stage stage;
	bool busy; /* a request, or its retry, is under way */
	struct set *first, **last;
	struct textset kinds, namespaces;	  /* of the input */
	struct textset all_kinds, all_namespaces; /* and of the parent */
	struct textset applied;			  /* uids */
	struct buf written; /* the parent, before anything was applied */
	bool keeps_all; /* not all was pruned: the parent remembers all of it */
	size_t kind_at, namespace_at; /* the LIST under way */
	const struct api_resource *listed;
	struct doomed *doomed; /* first is the one being deleted */
	/* The request under way, for its retry. */
	enum kube_verb verb;
	struct buf path, body;
	const char *accept;
	void (*then)(struct applyset *as, const struct kube_answer *a);
	struct kube_backoff backoff;
	struct timer timer;
};

static void
on_applied(void *arg, const struct item *i, struct span uid)
{
	struct applyset *as = arg;

	(void)i;
	textset_add(&as->applied, uid);
}

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
	loop_cancel(as->apply->loop, &as->timer);
	while ((s = as->first) != NULL) {
		as->first = s->next;
		set_free(s);
	}
	while ((d = as->doomed) != NULL) {
		as->doomed = d->next;
		doomed_free(d);
	}
	textset_release(&as->kinds);
	textset_release(&as->namespaces);
	textset_release(&as->all_kinds);
	textset_release(&as->all_namespaces);
	textset_release(&as->applied);
	buf_release(&as->written);
	buf_release(&as->path);
	buf_release(&as->body);
	free(as->name);
	free(as->id);
	free(as);
}

void
applyset_take(void *arg, struct set *s)
{
	struct applyset *as = arg;

	*as->last = s;
	as->last = &s->next;
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
	as->apply->failed = true;
	as->stage = DONE;
}

static void answered_step(void *arg, const struct kube_answer *answer);

static void
send_step(void *arg)
{
	struct applyset *as = arg;

	kube_start(as->apply->kube,
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
		loop_after(as->apply->loop, &as->timer,
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

/* The caller has filled path and body. */
static void
request(struct applyset *as, enum kube_verb verb,
    void (*then)(struct applyset *as, const struct kube_answer *a))
{
	as->verb = verb;
	as->then = then;
	as->busy = true;
	send_step(as);
}

static struct span
parent_namespace(const struct applyset *as)
{
	return as->parent->namespaced
	    ? span_str(kube_namespace(as->apply->kube))
	    : span_make("", 0);
}

static void
parent_path(struct applyset *as)
{
	buf_reset(&as->path);
	buf_reset(&as->body);
	as->accept = NULL;
	discovery_path(&as->path, as->parent, parent_namespace(as),
	    span_str(as->name), NULL);
}

static void wrote_parent(struct applyset *as, const struct kube_answer *a);

static void
write_parent(
    struct applyset *as, struct textset *kinds, struct textset *namespaces)
{
	const struct api_resource *r = as->parent;
	struct buf *b = &as->body;

	parent_path(as);
	kube_query_add(&as->path, "fieldManager", span_str("kpipe-applyset"));
	kube_query_add(&as->path, "force", span_str("true"));
	if (as->apply->o->dry_run)
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
	setparent_add(b, SETPARENT_KINDS, kinds, SPAN_NONE);
	setparent_add(
	    b, SETPARENT_NAMESPACES, namespaces, parent_namespace(as));
	buf_adds(b, "}}}");
	request(as, KUBE_APPLY, wrote_parent);
}

static void
submit_all(struct applyset *as)
{
	struct apply *a = as->apply;
	struct set *s;

	a->label = PREFIX "part-of";
	a->label_value = as->id;
	a->on_applied = on_applied;
	a->on_applied_arg = as;
	while ((s = as->first) != NULL) {
		as->first = s->next;
		s->next = NULL;
		engine_submit(a, s);
	}
	as->last = &as->first;
}

static void
wrote_parent(struct applyset *as, const struct kube_answer *a)
{
	if (a->error.kind != ERR_NONE) {
		give_up(as, ": %s", a->error.message);
		return;
	}
	if (as->stage == WRITE_EXACT) {
		as->stage = DONE;
		return;
	}
	buf_addspan(&as->written, a->body);
	as->stage = APPLY;
	submit_all(as);
}

static void
read_parent(struct applyset *as, const struct kube_answer *a)
{
	struct buf why = BUF_INIT;

	if (a->code == 404 || !setparent_refuse(&why, a->body, as->id)) {
		setparent_read(a->body, &as->all_kinds, &as->all_namespaces);
		as->stage = WRITE_UNION;
		write_parent(as, &as->all_kinds, &as->all_namespaces);
	} else {
		give_up(as, "%s", buf_str(&why));
	}
	buf_release(&why);
}

static struct span
namespace_of(const struct applyset *as, const struct objref *id)
{
	const struct api_resource *r = discovery_find(
	    as->apply->discovery, id->group, id->version, id->kind);

	if (r != NULL && !r->namespaced)
		return SPAN_NONE;
	if (id->namespace_.n != 0)
		return id->namespace_;
	return r == NULL ? SPAN_NONE
			 : span_str(kube_namespace(as->apply->kube));
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
		textset_add(&as->kinds, buf_span(&kind));
		textset_add(&as->all_kinds, buf_span(&kind));
		if (ns.n != 0) {
			textset_add(&as->namespaces, ns);
			textset_add(&as->all_namespaces, ns);
		}
		buf_release(&kind);
	}
	return true;
}

static bool
find_parent(struct applyset *as)
{
	const char *slash = strchr(as->spelling, '/');
	char *resource = slash == NULL
	    ? mem_strdup("secrets")
	    : mem_dup(as->spelling, (size_t)(slash - as->spelling));
	struct err err = ERR_INIT;
	struct buf id = BUF_INIT;

	as->parent = discovery_resolve(as->apply->discovery, resource, &err);
	free(resource);
	if (as->parent == NULL) {
		give_up(as, ": %s", err.message);
		return false;
	}
	as->name = mem_strdup(slash == NULL ? as->spelling : slash + 1);
	applysetid_add(&id, span_str(as->name), parent_namespace(as),
	    span_str(as->parent->kind), span_str(as->parent->group));
	as->id = buf_take(&id);
	return true;
}

static void
begin(struct applyset *as)
{
	if (as->apply->failed) {
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
	textset_add(&as->all_namespaces, parent_namespace(as));
	as->stage = READ_PARENT;
	parent_path(as);
	request(as, KUBE_GET, read_parent);
}

/* Objects of it may be there, and be pruned by a later run. */
static void
not_listed(struct applyset *as, struct span kind)
{
	log_error("apply set %s: %.*s is not served: nothing of it is pruned "
		  "before a run that finds it; if its definition is gone for "
		  "good, and all its objects with it, remove it from the "
		  "annotation " SETPARENT_KINDS " of the parent",
	    as->spelling, SPAN_ARG(kind));
	as->keeps_all = true;
}

/* An operator may have copied the label, or the set has written to what it
 * made: it is its owner's. */
static void
doom(struct applyset *as, struct span object)
{
	struct doomed *d = doomed_new(as->listed, object);

	if (body_is_made(object)) {
		log_warning("apply set %s: %s stays, for an operator made it: "
			    "remove its label " PREFIX "part-of",
		    as->spelling, d->item.key);
		doomed_free(d);
		return;
	}
	d->next = as->doomed;
	as->doomed = d;
}

static void
listed(struct applyset *as, const struct kube_answer *a)
{
	struct json_elements e = json_elements(json_get(a->body, "items"));

	if (a->code == 404)
		not_listed(as, span_str(as->listed->kind));
	while (a->code == 200 && json_element(&e))
		if (!textset_has(&as->applied, body_metadata(e.value, "uid")) &&
		    body_metadata(e.value, "deletionTimestamp").n == 0)
			doom(as, e.value);
}

static const struct api_resource *
resource_of(const struct applyset *as, struct span text)
{
	struct span kind, group;

	objref_split_kind(text, &kind, &group);
	return discovery_find_kind(as->apply->discovery, group, kind);
}

static void
list_collection(struct applyset *as, struct span ns)
{
	struct buf selector = BUF_INIT;

	buf_reset(&as->path);
	buf_reset(&as->body);
	as->accept = "application/json;as=PartialObjectMetadataList;"
		     "g=meta.k8s.io;v=v1,application/json";
	discovery_path(&as->path, as->listed, ns, SPAN_NONE, NULL);
	buf_addf(&selector, PREFIX "part-of=%s", as->id);
	kube_query_add(&as->path, "labelSelector", buf_span(&selector));
	buf_release(&selector);
	request(as, KUBE_LIST, listed);
}

/* The next kind and namespace; false when all were listed. */
static bool
list_next(struct applyset *as)
{
	size_t kinds = textset_count(&as->all_kinds);
	size_t namespaces = textset_count(&as->all_namespaces);
	struct span *kind = textset_sorted(&as->all_kinds);
	struct span *ns = textset_sorted(&as->all_namespaces);

	while (!as->busy && as->kind_at < kinds) {
		as->listed = resource_of(as, kind[as->kind_at]);
		if (as->listed == NULL) {
			not_listed(as, kind[as->kind_at++]);
		} else if (!as->listed->namespaced) {
			as->kind_at++;
			list_collection(as, SPAN_NONE);
		} else if (as->namespace_at < namespaces) {
			struct span in = ns[as->namespace_at++];

			if (in.n != 0)
				list_collection(as, in);
		} else {
			as->namespace_at = 0;
			as->kind_at++;
		}
	}
	free(kind);
	free(ns);
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

/* It may be there for long: the set forgets it. */
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

static void
keep_doomed(struct applyset *as, const char *why)
{
	const struct doomed *d = as->doomed;

	log_error("apply set %s: %s: %s", as->spelling, d->item.key, why);
	as->keeps_all = true;
	end_doomed(as, "failed", why);
}

static bool
delete_next(struct applyset *as)
{
	const struct doomed_parent parent = {.resource = as->parent,
	    .namespace_ = parent_namespace(as),
	    .name = span_str(as->name)};
	struct doomed *d;
	const char *why;

	while ((d = as->doomed) != NULL &&
	    (why = doomed_stays(d, as->apply->discovery, &as->namespaces,
		 &as->kinds, &parent)) != NULL)
		keep_doomed(as, why);
	if (d == NULL)
		return false;
	buf_reset(&as->path);
	buf_reset(&as->body);
	as->accept = NULL;
	discovery_path(&as->path, d->resource, d->item.id.namespace_,
	    d->item.id.name, NULL);
	body_delete(
	    &as->body, d->item.id.uid, SPAN_NONE, as->apply->o->dry_run != 0);
	request(as, KUBE_DELETE, pruned);
	return true;
}

/* The parent remembers what there is by now, for the next run. */
static void
write_exact(struct applyset *as)
{
	as->apply->failed = as->apply->failed || as->keeps_all;
	as->stage = WRITE_EXACT;
	if (as->keeps_all)
		write_parent(as, &as->all_kinds, &as->all_namespaces);
	else
		write_parent(as, &as->kinds, &as->namespaces);
}

/* Objects of another run may be there, and ours unknown to it. */
static void
read_again(struct applyset *as, const struct kube_answer *a)
{
	if (!setparent_same(a->body, buf_span(&as->written))) {
		log_error("apply set %s: another run has changed it meanwhile: "
			  "run again, one at a time",
		    as->spelling);
		setparent_read(a->body, &as->all_kinds, &as->all_namespaces);
		as->keeps_all = true;
	}
	write_exact(as);
}

static void
finish(struct applyset *as)
{
	as->stage = READ_AGAIN;
	parent_path(as);
	if (as->apply->o->dry_run)
		write_exact(as);
	else
		request(as, KUBE_GET, read_again);
}

bool
applyset_step(struct applyset *as)
{
	struct apply *a = as->apply;

	if (as->busy)
		return false;
	if (as->stage == COLLECT && a->ready)
		begin(as);
	if (as->stage == APPLY && engine_settled(a)) {
		if (a->failed || a->keys.count > 0) {
			engine_give_up(a);
			give_up(
			    as, ": nothing is pruned, for not all was applied");
		} else {
			as->stage = LIST;
		}
	}
	if (as->stage == LIST && !as->busy && !list_next(as))
		as->stage = DELETE;
	if (as->stage == DELETE && !as->busy && !delete_next(as))
		finish(as);
	return as->stage == DONE && !as->busy;
}
