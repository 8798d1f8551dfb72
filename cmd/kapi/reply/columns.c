#include "reply/columns.h"

#include <string.h>

#include "base/array.h"
#include "builtin/builtin.h"
#include "crd/crd.h"
#include "json/json.h"
#include "process/clock.h"
#include "reply/cells.h"
#include "text/jsonpath.h"
#include "write/write.h"

static const struct steps scale_steps = {
    .check_type = write_check_builtin_type, .decode = builtin_decode};

const struct strategy columns_scale = {
    .plural = "scale",
    .steps = &scale_steps,
    .columns = "Name|Desired:integer=spec.replicas|"
	       "Available:integer=status.replicas|Age",
};

/* ---- one column ---- */

struct column {
	struct span name, type, source, otherwise;
	bool wide;
};

static bool
next_column(struct span *rest, struct column *c)
{
	struct span text;

	if (rest->p == NULL)
		return false;
	text = span_cut(rest, '|');
	c->type = span_cut(&text, '=');
	c->source = span_cut(&text, '?');
	c->otherwise = text;
	c->wide = c->type.n > 0 && c->type.p[c->type.n - 1] == '+';
	c->type.n -= c->wide;
	c->name = span_cut(&c->type, ':');
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

static struct span
columns_of(const struct resource *r)
{
	const char *own = r->strategy->columns;

	return span_str(own != NULL ? own : "Name|Created At:date");
}

static void
builtin_columns(struct buf *b, const struct resource *r)
{
	struct span rest = columns_of(r);
	struct column c;

	while (next_column(&rest, &c))
		add_definition(b, c.name, c.type,
		    span_str(span_is(c.name, "Name") ? "name" : ""),
		    span_str(""), c.wide);
}

/* How many items are at these paths together. */
static void
cell_count(struct cells *c, struct span paths)
{
	size_t n = 0;

	while (paths.p != NULL)
		n += tree_count(tree_path(
		    c->object, arena_str(c->arena, span_cut(&paths, ','))));
	cell_int(c, (int64_t)n);
}

/* A text with {PATH,OTHERWISE} in it. */
static void
cell_filled(struct cells *c, struct span text)
{
	struct buf b = BUF_INIT;

	while (text.p != NULL) {
		struct span more, path;
		const struct node *n;

		buf_addspan(&b, span_cut(&text, '{'));
		if (text.p == NULL)
			break;
		more = span_cut(&text, '}');
		path = span_cut(&more, ',');
		n = tree_path(c->object, arena_str(c->arena, path));
		if (n == NULL)
			buf_addspan(&b, more);
		else if (tree_is(n, NODE_TRUE) || tree_is(n, NODE_FALSE))
			buf_adds(&b, tree_true(n) ? "True" : "False");
		else
			buf_addspan(&b, n->text);
	}
	cell_text(c, buf_span(&b));
	buf_release(&b);
}

static const struct {
	const char *word;
	cells_fn *cell;
} words[] = {
    /* for any kind, with a path behind the word */
    {"int", cell_int_at},
    {"bool", cell_bool_at},
    {"since", cell_since},
    {"seconds", cell_seconds},
    {"labels", cell_labels},
    {"selector", cell_selector},
    {"list", cell_list},
    {"first", cell_first},
    {"names", cell_names},
    {"images", cell_images},
    {"modes", cell_modes},
    {"default", cell_default_name},
    /* for one kind, or a few */
    {"balancer", cell_balancer},
    {"claim", cell_claim},
    {"claimcapacity", cell_claim_capacity},
    {"claimmodes", cell_claim_modes},
    {"class", cell_class},
    {"completions", cell_job_completions},
    {"controller", cell_controller},
    {"duration", cell_job_duration},
    {"endpoints", cell_endpoints},
    {"external", cell_external_ip},
    {"hosts", cell_hosts},
    {"jobstatus", cell_job_status},
    {"kernel", cell_node_kernel},
    {"metrics", cell_metrics},
    {"nodeaddress", cell_node_address},
    {"nodestatus", cell_node_status},
    {"parameters", cell_parameters},
    {"phase", cell_phase},
    {"ports", cell_ports},
    {"quota", cell_quota},
    {"roles", cell_node_roles},
    {"signing", cell_signing},
    {"sliceaddresses", cell_slice_addresses},
    {"sliceports", cell_slice_ports},
    {"subjects", cell_subjects},
    {"tlsports", cell_tls_ports},
};

/* PATH, as the type of the column has it; a number is one in any column. */
static void
cell_value(struct cells *c, struct span type)
{
	const struct node *n = tree_path(c->object, c->path);

	if (span_is(type, "integer"))
		cell_int_at(c);
	else if (span_is(type, "boolean"))
		cell_bool_at(c);
	else if (tree_is(n, NODE_NUMBER))
		cell_json(c, n->text);
	else
		cell_path(c, c->path, c->otherwise);
}

static void
cell_of(struct cells *c, const struct column *column)
{
	struct span source = column->source, word;

	c->otherwise = arena_str(c->arena, column->otherwise);
	if (source.p == NULL && span_is(column->name, "Name")) {
		cell_name(c);
		return;
	}
	if (source.p == NULL && span_is(column->name, "Age")) {
		cell_age(c);
		return;
	}
	if (source.p == NULL)
		source = span_str("metadata.creationTimestamp");
	if (span_take(&source, "#")) {
		cell_count(c, source);
		return;
	}
	if (span_find(source, '{') != NULL) {
		cell_filled(c, source);
		return;
	}
	c->path = arena_str(c->arena, source);
	word = span_cut(&source, ':');
	if (source.p == NULL) {
		cell_value(c, column->type);
		return;
	}
	c->path = arena_str(c->arena, source);
	for (size_t i = 0; i < COUNT(words); i++)
		if (span_is(word, words[i].word))
			words[i].cell(c);
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
custom_cell(struct cells *c, const struct crd_column *column)
{
	const struct node *n =
	    jsonpath_first(c->arena, c->object, column->json_path);
	struct span type = column->type, null = span_str("null");

	if (n == NULL)
		cell_json(c, null);
	else if (span_is(type, "string"))
		cell_as_text(c, n);
	else if (span_is(type, "integer") && n->kind == NODE_NUMBER)
		cell_int(c, (int64_t)tree_double(n));
	else if (span_is(type, "number") && n->kind == NODE_NUMBER)
		cell_json(c, n->text);
	else if (span_is(type, "boolean") &&
	    (n->kind == NODE_TRUE || n->kind == NODE_FALSE))
		cell_bool(c, n->kind == NODE_TRUE);
	else if (span_is(type, "date") && n->kind == NODE_STRING)
		cell_text(c, cells_since(c, n->text));
	else
		cell_json(c, null);
}

void
columns_custom_cells(struct cells *c)
{
	const struct crd_version *v = crd_version_of(c->resource);

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
	buf_addc(b, '[');
	if (r->crd != NULL)
		custom_columns(b, crd_version_of(r));
	else
		builtin_columns(b, r);
	buf_addc(b, ']');
}

void
columns_add_cells(struct buf *b, struct arena *a, const struct resource *r,
    const struct node *object)
{
	struct cells c = {b, a, clock_real_us(), object, r, "", ""};
	struct span rest = columns_of(r);
	struct column column;

	buf_addc(b, '[');
	if (r->strategy->cells != NULL)
		r->strategy->cells(&c);
	else
		while (next_column(&rest, &column))
			cell_of(&c, &column);
	buf_addc(b, ']');
}

void
columns_add_conditions(
    struct buf *b, const struct resource *r, const struct node *object)
{
	if (r->strategy->row_conditions != NULL)
		r->strategy->row_conditions(b, object);
}
