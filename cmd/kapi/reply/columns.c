#include "reply/columns.h"

#include <string.h>

#include "crd/crd.h"
#include "json/json.h"
#include "process/clock.h"
#include "reply/cells.h"
#include "text/jsonpath.h"

/*
 * Columns of a kind: NAME[:TYPE][+][=SOURCE] each, with | between them. TYPE
 * is string if it is not given; + is priority 1: shown by -o wide. Where no
 * function writes the cells, SOURCE is the path of the value, #PATH a count,
 * and ?TEXT behind it stands for an absent one.
 */
struct table {
	const char *group, *plural, *columns;
	cells_fn *cells;
};

#define WORKLOAD "|Containers+|Images+"

static const struct table tables[] = {
    {"", "configmaps", "Name|Data|Age", cells_configmap},
    {"", "endpoints", "Name|Endpoints|Age", cells_endpoints},
    {"", "events",
	"Last Seen|Type|Reason|Object|Subobject+|Source+|Message|First Seen+|"
	"Count+|Name+",
	cells_event},
    {"", "namespaces", "Name|Status=status.phase|Age", NULL},
    {"", "nodes",
	"Name|Status|Roles|Age|Version|Internal-IP+|External-IP+|OS-Image+|"
	"Kernel-Version+|Container-Runtime+",
	cells_node},
    {"", "persistentvolumeclaims",
	"Name|Status|Volume|Capacity|Access Modes|StorageClass|"
	"VolumeAttributesClass|Age|VolumeMode+",
	cells_pvc},
    {"", "persistentvolumes",
	"Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|"
	"VolumeAttributesClass|Reason|Age|VolumeMode+",
	cells_pv},
    {"", "pods",
	"Name|Ready|Status|Restarts|Age|IP+|Node+|Nominated Node+|"
	"Readiness Gates+",
	cells_pod},
    {"", "podtemplates", "Name|Containers|Images|Pod Labels",
	cells_podtemplate},
    {"", "replicationcontrollers",
	"Name|Desired:integer|Current:integer|Ready:integer|Age" WORKLOAD
	"|Selector+",
	cells_replicationcontroller},
    {"", "resourcequotas", "Name|Request|Limit|Age", cells_quota},
    {"", "secrets", "Name|Type=type|Data=#data|Age", NULL},
    {"", "serviceaccounts", "Name|Age", NULL},
    {"", "services", "Name|Type|Cluster-IP|External-IP|Port(s)|Age|Selector+",
	cells_service},
    {"apps", "controllerrevisions", "Name|Controller|Revision|Age",
	cells_controllerrevision},
    {"apps", "daemonsets",
	"Name|Desired:integer|Current:integer|Ready:integer|"
	"Up-to-date:integer|Available:integer|Node Selector|Age" WORKLOAD
	"|Selector+",
	cells_daemonset},
    {"apps", "deployments",
	"Name|Ready|Up-to-date|Available|Age" WORKLOAD "|Selector+",
	cells_deployment},
    {"apps", "replicasets",
	"Name|Desired:integer|Current:integer|Ready:integer|Age" WORKLOAD
	"|Selector+",
	cells_replicaset},
    {"apps", "statefulsets", "Name|Ready|Age" WORKLOAD, cells_statefulset},
    {"events.k8s.io", "events",
	"Last Seen|Type|Reason|Object|Subobject+|Source+|Message|First Seen+|"
	"Count+|Name+",
	cells_event},
    {"autoscaling", "horizontalpodautoscalers",
	"Name|Reference|Targets|MinPods|MaxPods|Replicas|Age", cells_hpa},
    {"autoscaling", "scale",
	"Name|Desired:integer=spec.replicas|Available:integer=status.replicas|"
	"Age",
	NULL},
    {"batch", "cronjobs",
	"Name|Schedule|Timezone|Suspend:boolean|Active:integer|Last Schedule|"
	"Age" WORKLOAD "|Selector+",
	cells_cronjob},
    {"batch", "jobs",
	"Name|Status|Completions|Duration|Age" WORKLOAD "|Selector+",
	cells_job},
    {"networking.k8s.io", "ingressclasses", "Name|Controller|Parameters|Age",
	cells_ingressclass},
    {"networking.k8s.io", "ingresses", "Name|Class|Hosts|Address|Ports|Age",
	cells_ingress},
    {"networking.k8s.io", "networkpolicies", "Name|Pod-Selector|Age",
	cells_networkpolicy},
    {"policy", "poddisruptionbudgets",
	"Name|Min Available|Max Unavailable|Allowed Disruptions:integer|Age",
	cells_pdb},
    {"rbac.authorization.k8s.io", "clusterrolebindings",
	"Name|Role|Age|Users+|Groups+|ServiceAccounts+", cells_binding},
    {"rbac.authorization.k8s.io", "rolebindings",
	"Name|Role|Age|Users+|Groups+|ServiceAccounts+", cells_binding},
    {"storage.k8s.io", "csinodes", "Name|Drivers:integer=#spec.drivers|Age",
	NULL},
    {"storage.k8s.io", "storageclasses",
	"Name|Provisioner|ReclaimPolicy|VolumeBindingMode|"
	"AllowVolumeExpansion|Age",
	cells_storageclass},
    {"storage.k8s.io", "volumeattachments",
	"Name|Attacher=spec.attacher|PV=spec.source.persistentVolumeName|"
	"Node=spec.nodeName|Attached:boolean=status.attached|Age",
	NULL},
    {"storage.k8s.io", "volumeattributesclasses",
	"Name|DriverName=driverName|Age", NULL},
    {"admissionregistration.k8s.io", "mutatingwebhookconfigurations",
	"Name|Webhooks:integer=#webhooks|Age", NULL},
    {"admissionregistration.k8s.io", "validatingwebhookconfigurations",
	"Name|Webhooks:integer=#webhooks|Age", NULL},
    {"scheduling.k8s.io", "priorityclasses",
	"Name|Value:integer=value|Global-Default:boolean=globalDefault|Age|"
	"PreemptionPolicy=preemptionPolicy",
	NULL},
    {"certificates.k8s.io", "certificatesigningrequests",
	"Name|Age|SignerName|Requestor|RequestedDuration|Condition",
	cells_signing},
    {"coordination.k8s.io", "leases", "Name|Holder=spec.holderIdentity|Age",
	NULL},
    {"node.k8s.io", "runtimeclasses", "Name|Handler=handler|Age", NULL},
    {"discovery.k8s.io", "endpointslices",
	"Name|AddressType|Ports|Endpoints|Age", cells_endpointslice},
    {"resource.k8s.io", "deviceclasses", "Name|Age", NULL},
    {"resource.k8s.io", "resourceclaimtemplates", "Name|Age", NULL},
};

/* Kinds without columns of their own. */
static const struct table other = {"", "", "Name|Created At:date", NULL};

static const struct table *
table_of(const struct resource *r)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (span_is(r->plural, tables[i].plural) &&
		    span_is(r->group, tables[i].group))
			return &tables[i];
	return &other;
}

/* ---- one column ---- */

struct column {
	struct span name, type, source, or ;
	bool wide;
};

static struct span
cut(struct span *text, char at)
{
	const char *p = text->n == 0 ? NULL : memchr(text->p, at, text->n);
	struct span behind = SPAN_NONE;

	if (p != NULL) {
		behind = span_make(p + 1, (size_t)(text->p + text->n - p) - 1);
		text->n = (size_t)(p - text->p);
	}
	return behind;
}

static bool
next_column(struct span *rest, struct column *c)
{
	if (rest->p == NULL)
		return false;
	c->name = *rest;
	*rest = cut(&c->name, '|');
	c->source = cut(&c->name, '=');
	c->or = cut(&c->source, '?');
	c->wide = c->name.n > 0 && c->name.p[c->name.n - 1] == '+';
	c->name.n -= c->wide;
	c->type = cut(&c->name, ':');
	if (c->type.p == NULL)
		c->type = span_str("string");
	return true;
}

static void
add_definition(struct buf *b, struct span name, struct span type,
    struct span format, struct span description, int64_t priority)
{
	if (b->data[b->len - 1] != '[')
		buf_addc(b, ',');
	buf_adds(b, "{\"name\":");
	json_add_string(b, name);
	buf_adds(b, ",\"type\":");
	json_add_string(b, type);
	buf_adds(b, ",\"format\":");
	json_add_string(b, format);
	buf_adds(b, ",\"description\":");
	json_add_string(b, description);
	buf_adds(b, ",\"priority\":");
	json_add_int(b, priority);
	buf_addc(b, '}');
}

static void
builtin_columns(struct buf *b, const struct resource *r)
{
	struct span rest = span_str(table_of(r)->columns);
	struct column c;

	while (next_column(&rest, &c))
		add_definition(b, c.name, c.type,
		    span_str(span_is(c.name, "Name") ? "name" : ""),
		    span_str(""), c.wide);
}

static void
cell_of(struct cells *c, const struct column *column)
{
	struct buf path = BUF_INIT;
	const struct node *n;
	bool count = column->source.n > 0 && *column->source.p == '#';

	if (column->source.p == NULL) {
		if (span_is(column->name, "Name"))
			cell_name(c);
		else if (span_is(column->name, "Age"))
			cell_age(c);
		else
			cell_path(c, "metadata.creationTimestamp", "");
		return;
	}
	buf_addspan(&path, column->source);
	n = tree_path(c->object, buf_str(&path) + count);
	if (count)
		cell_int(c, (int64_t)tree_count(n));
	else if (span_is(column->type, "integer"))
		cell_int(c, cells_int(c->object, buf_str(&path)));
	else if (span_is(column->type, "boolean"))
		cell_bool(c, tree_true(n));
	else if (tree_text(n).n > 0)
		cell_text(c, tree_text(n));
	else
		cell_text(c, column->or.p != NULL ? column->or : span_str(""));
	buf_release(&path);
}

/* ---- custom resources ---- */

static const struct crd_column age = {.name = {"Age", 3},
    .type = {"date", 4},
    .json_path = {".metadata.creationTimestamp", 27}};

static void
custom_columns(struct buf *b, const struct crd_version *v)
{
	add_definition(b, span_str("Name"), span_str("string"),
	    span_str("name"), span_str(""), 0);
	if (v->column_count == 0)
		add_definition(
		    b, age.name, age.type, span_str(""), span_str(""), 0);
	for (size_t i = 0; i < v->column_count; i++) {
		const struct crd_column *c = &v->columns[i];
		struct buf d = BUF_INIT;

		if (c->description.n == 0)
			buf_adds(&d,
			    "Custom resource definition column (in JSONPath "
			    "format): ");
		buf_addspan(
		    &d, c->description.n == 0 ? c->json_path : c->description);
		add_definition(
		    b, c->name, c->type, c->format, buf_span(&d), c->priority);
		buf_release(&d);
	}
}

/* A string column shows anything, as Go's template printer does. */
static void
cell_as_text(struct cells *c, const struct node *n)
{
	struct buf b = BUF_INIT;

	if (n->kind == NODE_STRING)
		cell_text(c, n->text);
	else if (n->kind == NODE_NULL)
		cell_str(c, "<no value>");
	else {
		tree_write(&b, n);
		cell_text(c, buf_span(&b));
	}
	buf_release(&b);
}

static void
cell_number(struct cells *c, const struct node *n, bool whole)
{
	struct buf b = BUF_INIT;

	if (whole)
		cell_int(c, (int64_t)tree_double(n));
	else {
		tree_write(&b, n);
		if (c->out->data[c->out->len - 1] != '[')
			buf_addc(c->out, ',');
		buf_addspan(c->out, buf_span(&b));
	}
	buf_release(&b);
}

static void
custom_cell(struct cells *c, const struct crd_column *column)
{
	const struct node *n =
	    jsonpath_first(c->arena, c->object, column->json_path);
	struct span type = column->type;

	if (n == NULL)
		cell_null(c);
	else if (span_is(type, "string"))
		cell_as_text(c, n);
	else if ((span_is(type, "integer") || span_is(type, "number")) &&
	    n->kind == NODE_NUMBER)
		cell_number(c, n, span_is(type, "integer"));
	else if (span_is(type, "boolean") &&
	    (n->kind == NODE_TRUE || n->kind == NODE_FALSE))
		cell_bool(c, n->kind == NODE_TRUE);
	else if (span_is(type, "date") && n->kind == NODE_STRING)
		cell_text(c, cells_since(c, n->text));
	else
		cell_null(c);
}

static void
custom_cells(struct cells *c, const struct crd_version *v)
{
	cell_name(c);
	if (v->column_count == 0)
		custom_cell(c, &age);
	for (size_t i = 0; i < v->column_count; i++)
		custom_cell(c, &v->columns[i]);
}

/* ---- rows ---- */

void
columns_add(struct buf *b, const struct resource *r)
{
	const struct crd_version *v = crd_version_of(r);

	buf_addc(b, '[');
	if (v != NULL)
		custom_columns(b, v);
	else
		builtin_columns(b, r);
	buf_addc(b, ']');
}

void
cells_add(struct buf *b, struct arena *a, const struct resource *r,
    const struct node *object)
{
	const struct crd_version *v = crd_version_of(r);
	struct cells c = {b, a, clock_real_us(), object};
	const struct table *t = table_of(r);
	struct span rest = span_str(t->columns);
	struct column column;

	buf_addc(b, '[');
	if (v != NULL)
		custom_cells(&c, v);
	else if (t->cells != NULL)
		t->cells(&c);
	else
		while (next_column(&rest, &column))
			cell_of(&c, &column);
	buf_addc(b, ']');
}

void
row_conditions_add(
    struct buf *b, const struct resource *r, const struct node *object)
{
	struct span phase = tree_path_text(object, "status.phase");
	bool done = span_is(phase, "Succeeded");

	if (r->group.n > 0 || !span_is(r->plural, "pods") ||
	    (!done && !span_is(phase, "Failed")))
		return;
	buf_addf(b,
	    ",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\","
	    "\"reason\":\"%s\",\"message\":\"%s\"}]",
	    done ? "Succeeded" : "Failed",
	    done ? "The pod has completed successfully." : "The pod failed.");
}
