#include "scene/opfolder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <jq.h>

#include "base/buf.h"
#include "base/mem.h"
#include "conf/expand.h"
#include "conf/watches.h"
#include "conf/yamlvalue.h"
#include "json/jvtext.h"
#include "libjq/jqfiles.h"
#include "process/file.h"
#include "scene/kindname.h"
#include "value/objref.h"

enum { FILE_MAX_MIB = 8 };

static char *
path_of(const struct opfolder *f, const char *name)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s/%s", f->path, name);
	return buf_take(&b);
}

/* The documents of a file as they are; an absent file has none. */
static jv
read_documents(const struct opfolder *f, const char *name, struct err *err)
{
	struct buf text = BUF_INIT;
	char *path = path_of(f, name);
	jv documents = jv_array();

	if (access(path, F_OK) == 0) {
		jv_free(documents);
		documents = jv_invalid();
		if (file_read(path, FILE_MAX_MIB, &text, err) == 0)
			documents =
			    yamlvalue_documents(path, buf_span(&text), err);
	}
	buf_release(&text);
	free(path);
	return documents;
}

/* ---- jq ---- */

static void
fail_run(jv result, const char *name, struct err *err)
{
	jv message = jv_invalid_get_msg(result);

	if (jv_get_kind(message) == JV_KIND_STRING)
		err_set(err, ERR_PERMANENT, "%s", jv_string_value(message));
	else
		err_set(err, ERR_BUG, "torture/%s.jq gives nothing", name);
	jv_free(message);
}

jv
opfolder_run(
    const struct opfolder *f, const char *name, jv input, struct err *err)
{
	struct buf file = BUF_INIT;
	const char *names[] = {NULL, NULL};
	jq_state *jq;
	jv result = jv_invalid();

	buf_addf(&file, "torture/%s", name);
	names[0] = buf_str(&file);
	jq = jqfiles_compile(&f->dirs, names, name, err);
	buf_release(&file);
	if (jq == NULL) {
		jv_free(input);
		return result;
	}
	jq_start(jq, input, 0);
	result = jq_next(jq);
	if (!jv_is_valid(result)) {
		fail_run(result, name, err);
		result = jv_invalid();
	}
	jq_teardown(&jq);
	return result;
}

/* ---- the environment of watches.yaml ---- */

static void
on_reference(void *arg, const struct expand_reference *ref)
{
	char *name = mem_dup(ref->name.p, ref->name.n);
	const jv *env = arg;
	jv given = jvtext_peek(*env, name);

	if (getenv(name) == NULL && jv_get_kind(given) == JV_KIND_STRING)
		setenv(name, jv_string_value(given), 1);
	else if (getenv(name) == NULL && ref->kind == '?')
		setenv(name, "default", 1);
	free(name);
}

/* Sets f->entries, and the variables. */
static int
load_raw(struct opfolder *f, struct err *err)
{
	jv about = read_documents(f, "operator.yaml", err);
	jv env = jv_null();
	struct buf text = BUF_INIT;
	struct yaml *y;

	if (!jv_is_valid(about))
		return -1;
	about = jv_array_get(about, 0);
	if (jv_get_kind(about) == JV_KIND_OBJECT)
		env = jv_copy(jvtext_peek(about, "env"));
	jv_free(about);
	y = expand_load_raw(f->watches_path, on_reference, &env, err);
	jv_free(env);
	if (y == NULL)
		return -1;
	yaml_to_json(y, &text);
	yaml_tree_free(y);
	jv_free(f->entries);
	f->entries = jvtext_parse(buf_span(&text), err);
	buf_release(&text);
	return jv_is_valid(f->entries) ? 0 : -1;
}

/* ---- kinds ---- */

static jv
kind_value(const char *api_version, const char *kind, bool namespaced)
{
	return JV_OBJECT(jv_string("apiVersion"), jv_string(api_version),
	    jv_string("kind"), jv_string(kind), jv_string("namespaced"),
	    jv_bool(namespaced));
}

static void
add_watched(struct opfolder *f, const struct watch_kind *k)
{
	f->kinds = jv_array_append(f->kinds,
	    kind_value(k->api_version, k->kind, k->scope == WATCH_NAMESPACED));
}

static void
add_all_watched(struct opfolder *f, const struct watches *w)
{
	for (size_t i = 0; i < w->count; i++)
		add_watched(f, &w->entries[i].primary);
	f->primaries = jv_copy(f->kinds);
	for (size_t i = 0; i < w->count; i++) {
		const struct watch_entry *e = &w->entries[i];

		for (size_t k = 0; k < e->dependent_count; k++)
			add_watched(f, &e->dependents[k]);
		for (size_t k = 0; k < e->related_count; k++)
			add_watched(f, &e->related[k]);
	}
}

/* Of each version of each CRD. */
static void
add_defined(struct opfolder *f)
{
	jv_array_foreach(f->crds, i, crd)
	{
		jv spec = jvtext_peek(crd, "spec");
		jv names = jvtext_peek(spec, "names");
		jv versions = jvtext_peek(spec, "versions");
		struct span group = jvtext_span(jvtext_peek(spec, "group"));
		struct span kind = jvtext_span(jvtext_peek(names, "kind"));
		bool cluster =
		    span_is(jvtext_span(jvtext_peek(spec, "scope")), "Cluster");
		char *name = mem_dup(kind.p, kind.n);
		int count = jv_get_kind(versions) == JV_KIND_ARRAY
		    ? jv_array_length(jv_copy(versions))
		    : 0;

		for (int v = 0; v < count; v++) {
			jv version = jv_array_get(jv_copy(versions), v);
			struct buf b = BUF_INIT;

			buf_addf(&b, "%.*s/%.*s", SPAN_ARG(group),
			    SPAN_ARG(
				jvtext_span(jvtext_peek(version, "name"))));
			f->kinds = jv_array_append(
			    f->kinds, kind_value(buf_str(&b), name, !cluster));
			buf_release(&b);
			jv_free(version);
		}
		free(name);
		jv_free(crd);
	}
}

/* ---- objects ---- */

static bool
is_of(jv object_peek, jv kind_peek)
{
	return span_eq(jvtext_span(jvtext_peek(object_peek, "apiVersion")),
		   jvtext_span(jvtext_peek(kind_peek, "apiVersion"))) &&
	    span_eq(jvtext_span(jvtext_peek(object_peek, "kind")),
		jvtext_span(jvtext_peek(kind_peek, "kind")));
}

bool
opfolder_is_primary(const struct opfolder *f, jv object_peek)
{
	bool found = false;

	jv_array_foreach(f->primaries, i, kind)
	{
		found = found || is_of(object_peek, kind);
		jv_free(kind);
	}
	return found;
}

static bool
is_primary_kind(const struct opfolder *f, struct span group, struct span kind)
{
	bool found = false;

	jv_array_foreach(f->primaries, i, primary)
	{
		struct span version =
		    jvtext_span(jvtext_peek(primary, "apiVersion"));

		found = found ||
		    (span_eq(span_cut(&version, '/'), group) &&
			span_eq(
			    jvtext_span(jvtext_peek(primary, "kind")), kind));
		jv_free(primary);
	}
	return found;
}

bool
opfolder_is_primary_resource(const struct opfolder *f, struct span resource)
{
	struct span group = span_cut(&resource, ':');
	struct span plural = span_cut(&group, '.');
	bool found = false;

	jv_array_foreach(f->crds, i, crd)
	{
		jv spec = jvtext_peek(crd, "spec");
		jv names = jvtext_peek(spec, "names");

		found = found ||
		    (span_eq(jvtext_span(jvtext_peek(spec, "group")), group) &&
			span_eq(jvtext_span(jvtext_peek(names, "plural")),
			    plural) &&
			is_primary_kind(
			    f, group, jvtext_span(jvtext_peek(names, "kind"))));
		jv_free(crd);
	}
	return found;
}

jv
opfolder_place(const struct opfolder *f, jv object)
{
	jv metadata = jv_copy(jvtext_peek(object, "metadata"));

	if (jv_get_kind(metadata) != JV_KIND_OBJECT) {
		jv_free(metadata);
		metadata = jv_object();
	}
	if (jvtext_span(jvtext_peek(metadata, "namespace")).n == 0 &&
	    kindname_is_namespaced(f->kinds,
		jvtext_span(jvtext_peek(object, "apiVersion")),
		jvtext_span(jvtext_peek(object, "kind"))))
		metadata = jv_object_set(
		    metadata, jv_string("namespace"), jv_string(f->namespace_));
	return jv_object_set(object, jv_string("metadata"), metadata);
}

/* Every document is an object with a name. -1 with err. */
static int
check_objects(const struct opfolder *f, const char *name, jv documents_peek,
    struct err *err)
{
	int rc = 0;

	jv_array_foreach(documents_peek, i, d)
	{
		jv metadata = jvtext_peek(d, "metadata");

		if (rc == 0 &&
		    (jvtext_span(jvtext_peek(d, "apiVersion")).n == 0 ||
			jvtext_span(jvtext_peek(d, "kind")).n == 0 ||
			jvtext_span(jvtext_peek(metadata, "name")).n == 0))
			rc = err_set(err, ERR_PERMANENT,
			    "%s/%s: document %d: apiVersion, kind or "
			    "metadata.name is missing",
			    f->path, name, i + 1);
		jv_free(d);
	}
	return rc;
}

jv
opfolder_documents(struct opfolder *f, const char *name, struct err *err)
{
	jv documents = read_documents(f, name, err), placed = jv_array();

	if (!jv_is_valid(documents) ||
	    check_objects(f, name, documents, err) != 0) {
		jv_free(documents);
		jv_free(placed);
		return jv_invalid();
	}
	jv_array_foreach(documents, i, d) placed =
	    jv_array_append(placed, opfolder_place(f, d));
	jv_free(documents);
	placed = opfolder_run(f, "plant", placed, err);
	if (!jv_is_valid(placed))
		return placed;
	jv_array_foreach(jvtext_peek(placed, "marks"), m, mark) f->marks =
	    jv_set(f->marks, mark, jv_true());
	documents = jv_copy(jvtext_peek(placed, "objects"));
	jv_free(placed);
	return documents;
}

/* ---- all of it ---- */

static int
add_crds(struct opfolder *f, const char *name, struct err *err)
{
	jv documents = read_documents(f, name, err);

	if (!jv_is_valid(documents))
		return -1;
	jv_array_foreach(documents, i, d)
	{
		if (span_is(jvtext_span(jvtext_peek(d, "kind")),
			"CustomResourceDefinition"))
			f->crds = jv_array_append(f->crds, d);
		else
			jv_free(d);
	}
	jv_free(documents);
	return 0;
}

static int
is_yaml(const struct dirent *d)
{
	return d->d_name[0] != '.' && span_ends(span_str(d->d_name), ".yaml");
}

static int
load_crds(struct opfolder *f, struct err *err)
{
	char *path = path_of(f, "crd");
	struct dirent **found = NULL;
	int n = scandir(path, &found, is_yaml, alphasort), rc;

	rc = add_crds(f, "crd.yaml", err);
	if (rc == 0)
		rc = add_crds(f, "external-crds.yaml", err);
	for (int i = 0; i < n; i++) {
		struct buf name = BUF_INIT;

		buf_addf(&name, "crd/%s", found[i]->d_name);
		if (rc == 0)
			rc = add_crds(f, buf_str(&name), err);
		buf_release(&name);
		free(found[i]);
	}
	free(found);
	free(path);
	return rc;
}

/* The namespace of the first document of a primary kind, or "". */
static void
choose_namespace(struct opfolder *f, const struct watches *w, jv documents_peek)
{
	const struct textlist *list = &w->entries[0].primary.namespaces;

	if (list->count > 0) {
		f->namespace_ = mem_strdup(list->items[0]);
		return;
	}
	jv_array_foreach(documents_peek, i, d)
	{
		struct span ns = jvtext_span(
		    jvtext_peek(jvtext_peek(d, "metadata"), "namespace"));

		if (f->namespace_ == NULL && opfolder_is_primary(f, d) &&
		    ns.n > 0)
			f->namespace_ = mem_dup(ns.p, ns.n);
		jv_free(d);
	}
	if (f->namespace_ == NULL)
		f->namespace_ = mem_strdup("default");
}

static jv
namespace_object(const char *name)
{
	return JV_OBJECT(jv_string("apiVersion"), jv_string("v1"),
	    jv_string("kind"), jv_string("Namespace"), jv_string("metadata"),
	    JV_OBJECT(jv_string("name"), jv_string(name)));
}

static int
load_objects(struct opfolder *f, struct err *err)
{
	jv before = opfolder_documents(f, "t/before.yaml", err);
	jv example;

	if (!jv_is_valid(before))
		return -1;
	if (strcmp(f->namespace_, "default") != 0)
		f->before =
		    jv_array_append(f->before, namespace_object(f->namespace_));
	f->before = jv_array_concat(f->before, before);
	example = opfolder_documents(f, "example.yaml", err);
	if (!jv_is_valid(example))
		return -1;
	jv_array_foreach(example, i, d)
	{
		if (!jv_is_valid(f->primary) && opfolder_is_primary(f, d)) {
			jv_free(f->primary);
			f->primary = d;
		} else
			f->before = jv_array_append(f->before, d);
	}
	jv_free(example);
	return 0;
}

static int
load_all(struct opfolder *f, struct err *err)
{
	struct watches *w = NULL;
	jv documents;

	if (load_raw(f, err) != 0 || load_crds(f, err) != 0 ||
	    (w = watches_load(f->watches_path, NULL, err)) == NULL)
		return -1;
	jv_free(f->primaries);
	add_all_watched(f, w);
	add_defined(f);
	documents = read_documents(f, "example.yaml", err);
	if (jv_is_valid(documents))
		choose_namespace(f, w, documents);
	watches_free(w);
	jv_free(documents);
	return f->namespace_ == NULL ? -1 : load_objects(f, err);
}

int
opfolder_load(struct opfolder *f, const char *watches_path, const char *library,
    struct err *err)
{
	const char *slash = strrchr(watches_path, '/');

	*f = (struct opfolder){.watches_path = mem_strdup(watches_path),
	    .path = slash == NULL
		? mem_strdup(".")
		: mem_dup(watches_path, (size_t)(slash - watches_path)),
	    .kinds = jv_array(),
	    .primaries = jv_array(),
	    .entries = jv_null(),
	    .crds = jv_array(),
	    .before = jv_array(),
	    .primary = jv_invalid(),
	    .rules = jv_array(),
	    .marks = jv_object()};
	textlist_init(&f->dirs);
	if (library != NULL)
		textlist_add(&f->dirs, library, strlen(library));
	else
		jqfiles_library(&f->dirs);
	if (load_all(f, err) == 0) {
		f->marks = jv_keys(f->marks);
		return 0;
	}
	opfolder_release(f);
	return -1;
}

void
opfolder_release(struct opfolder *f)
{
	free(f->watches_path);
	free(f->old_watches);
	free(f->path);
	free(f->namespace_);
	jv_free(f->kinds);
	jv_free(f->primaries);
	jv_free(f->entries);
	jv_free(f->crds);
	jv_free(f->before);
	jv_free(f->primary);
	jv_free(f->rules);
	jv_free(f->marks);
	textlist_release(&f->dirs);
	*f = (struct opfolder){0};
}

int
opfolder_set_old(struct opfolder *f, const char *watches_path, struct err *err)
{
	struct opfolder old;
	int rc = 0;

	if (opfolder_load(&old, watches_path, NULL, err) != 0)
		return -1;
	jv_array_foreach(old.primaries, i, kind)
	{
		bool has = false;

		jv_array_foreach(f->kinds, k, own)
		{
			has = has || is_of(kind, own);
			jv_free(own);
		}
		if (rc == 0 && !has)
			rc = err_set(err, ERR_PERMANENT,
			    "%s: it is not an earlier version of %s, which "
			    "has no kind %s %s: option --old needs the "
			    "watches.yaml of the same operator",
			    watches_path, f->watches_path,
			    jv_string_value(jvtext_peek(kind, "kind")),
			    jv_string_value(jvtext_peek(kind, "apiVersion")));
		jv_free(kind);
	}
	opfolder_release(&old);
	f->old_watches = mem_strdup(watches_path);
	return rc;
}
