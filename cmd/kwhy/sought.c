#include "sought.h"

#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "base/quote.h"

enum { OTHERS_MAX = 5, KINDS_MAX = 100 };

/* Of the kinds that every API server has, as `kubectl api-resources` prints
 * them. */
static const char short_names[] =
    "cm=ConfigMap,cj=CronJob,crd=CustomResourceDefinition,"
    "crds=CustomResourceDefinition,cs=ComponentStatus,"
    "csr=CertificateSigningRequest,deploy=Deployment,ds=DaemonSet,"
    "ep=Endpoints,ev=Event,hpa=HorizontalPodAutoscaler,ing=Ingress,ip="
    "IPAddress,"
    "limits=LimitRange,netpol=NetworkPolicy,no=Node,ns=Namespace,"
    "pc=PriorityClass,pdb=PodDisruptionBudget,po=Pod,pv=PersistentVolume,"
    "pvc=PersistentVolumeClaim,quota=ResourceQuota,rc=ReplicationController,"
    "rs=ReplicaSet,sa=ServiceAccount,sc=StorageClass,sts=StatefulSet,"
    "svc=Service,vac=VolumeAttributesClass";

static bool
is_caseless(struct span a, struct span b)
{
	return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

/* Whether word is kind in the plural, as API servers make it. */
static bool
is_plural(struct span word, struct span kind)
{
	struct span stem = word;

	if (word.n < 3)
		return false;
	stem.n--;
	if ((word.p[word.n - 1] | 0x20) != 's')
		return false;
	if (is_caseless(stem, kind))
		return true;
	stem.n--;
	if ((stem.p[stem.n] | 0x20) != 'e')
		return false;
	if (is_caseless(stem, kind))
		return true;
	stem.n--;
	return (stem.p[stem.n] | 0x20) == 'i' && kind.n == stem.n + 1 &&
	    (kind.p[stem.n] | 0x20) == 'y' &&
	    strncasecmp(stem.p, kind.p, stem.n) == 0;
}

static struct span
kind_of_short_name(struct span word)
{
	struct span rest = span_str(short_names);

	while (rest.p != NULL) {
		struct span kind = span_cut(&rest, ',');

		if (is_caseless(span_cut(&kind, '='), word))
			return kind;
	}
	return SPAN_NONE;
}

int
sought_init(struct sought *a, const char *kind, const char *name,
    const char *namespace_, struct err *err)
{
	struct span word = span_str(kind), rest = span_str(name), group;
	struct objref who = {.namespace_ = span_str(namespace_)};

	group = name == NULL ? span_cut(&word, '/') : word;
	if (name == NULL)
		rest = word;
	who.kind = span_cut(&group, '.');
	who.group = group;
	if (rest.p != NULL && span_find(rest, '/') != NULL)
		who.namespace_ = span_cut(&rest, '/');
	who.name = rest;
	if (who.kind.n == 0)
		return err_set(err, ERR_PERMANENT,
		    "operand \"%s\" is not a kind, as deployment.apps", kind);
	if (who.name.n == 0 || span_find(who.name, '/') != NULL)
		return err_set(err, ERR_PERMANENT,
		    "operand \"%s\" is not NAMESPACE/NAME, or NAME of an "
		    "object without a namespace",
		    name != NULL ? name : kind);
	if (namespace_ != NULL && !span_is(who.namespace_, namespace_))
		return err_set(err, ERR_PERMANENT,
		    "option --namespace: %s and the namespace of %.*s/%.*s "
		    "differ",
		    namespace_, SPAN_ARG(who.namespace_), SPAN_ARG(who.name));
	*a = (struct sought){.who = who, .full = kind_of_short_name(who.kind)};
	textlist_init(&a->kinds);
	textlist_init(&a->names);
	return 0;
}

void
sought_release(struct sought *a)
{
	textlist_release(&a->kinds);
	textlist_release(&a->names);
}

static bool
is_kind(const struct sought *a, const struct objref *o)
{
	return (is_caseless(a->who.kind, o->kind) ||
		   is_plural(a->who.kind, o->kind) ||
		   span_eq(a->full, o->kind)) &&
	    (a->who.group.p == NULL || is_caseless(a->who.group, o->group));
}

bool
sought_is(const struct sought *a, const struct objref *o)
{
	return span_eq(a->who.name, o->name) &&
	    span_eq(span_make(a->who.namespace_.p, a->who.namespace_.n),
		span_make(o->namespace_.p, o->namespace_.n)) &&
	    is_kind(a, o);
}

void
sought_note(struct sought *a, const struct objref *o)
{
	struct buf text = BUF_INIT;

	objref_add_kind(&text, o->kind, o->group);
	if (a->kinds.count < KINDS_MAX)
		textlist_add_once(&a->kinds, buf_span(&text));
	if (is_kind(a, o) && a->names.count < SOUGHT_NAMES_MAX) {
		buf_reset(&text);
		buf_addf(&text, "%.*s%s%.*s", SPAN_ARG(o->namespace_),
		    o->namespace_.n > 0 ? "/" : "", SPAN_ARG(o->name));
		textlist_add_once(&a->names, buf_span(&text));
	}
	buf_release(&text);
}

static void
add_list(struct buf *b, const struct textlist *list, size_t max)
{
	for (size_t i = 0; i < list->count && i < max; i++) {
		buf_adds(b, i > 0 ? ", " : "");
		quote_text(b, span_str(list->items[i]));
	}
	if (list->count > max)
		buf_addf(b, " and %zu more", list->count - max);
}

/* Objects of the name in a namespace, if it was said without one; whether there
 * are any. */
static bool
add_in_namespaces(const struct sought *a, struct buf *b)
{
	bool any = false;

	for (size_t i = 0; i < a->names.count; i++) {
		struct span name = span_str(a->names.items[i]);
		struct span namespace_ = span_cut(&name, '/');

		if (a->who.namespace_.n > 0 || namespace_.n == 0 ||
		    !span_eq(name, a->who.name))
			continue;
		buf_adds(b, any ? " or " : "say its namespace: ");
		quote_text(b, span_str(a->names.items[i]));
		any = true;
	}
	return any;
}

void
sought_add_others(const struct sought *a, struct buf *b)
{
	struct nearest near;
	struct buf name = BUF_INIT;

	if (add_in_namespaces(a, b))
		return;

	if (a->names.count == 0) {
		buf_adds(
		    b, a->kinds.count > 0 ? "its kinds are " : "it is empty");
		add_list(b, &a->kinds, KINDS_MAX);
		return;
	}
	buf_addf(&name, "%.*s%s%.*s", SPAN_ARG(a->who.namespace_),
	    a->who.namespace_.n > 0 ? "/" : "", SPAN_ARG(a->who.name));
	nearest_init(&near, buf_span(&name));
	for (size_t i = 0; i < a->names.count; i++)
		nearest_offer(&near, span_str(a->names.items[i]), 0);
	buf_adds(b, "it has ");
	add_list(b, &a->names, OTHERS_MAX);
	if (near.name.n > 0) {
		buf_adds(b, " (did you mean ");
		quote_text(b, near.name);
		buf_adds(b, "?)");
	}
	buf_release(&name);
}
