#include "folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "conf/expand.h"
#include "configdata.h"
#include "imagename.h"
#include "json/jvtext.h"
#include "opfile.h"
#include "process/file.h"
#include "value/dnsname.h"

#ifndef KPIPE_VERSION
#define KPIPE_VERSION "unknown"
#endif
/* As deploy/image/build calls it. */
#define KPIPE_IMAGE "localhost/kpipe:" KPIPE_VERSION

enum { PROGRAM_MAX_MIB = 8, FOLDERS_DEEP = 16 };

static char *
path_of(const struct folder *f, const char *name)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s/%s", f->path, name);
	return buf_take(&b);
}

static bool
has(const struct folder *f, const char *name)
{
	char *path = path_of(f, name);
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

/* ---- what is there ---- */

static int
check_folder(const struct folder *f, struct err *err)
{
	bool has_operator = has(f, "operator.yaml");
	bool has_watches = has(f, "watches.yaml");
	struct stat st;

	if (stat(f->path, &st) != 0 || !S_ISDIR(st.st_mode))
		return err_set(err, ERR_PERMANENT, "%s: not a folder", f->path);
	if (has_operator && has_watches)
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s: not the folder of an operator: it has no %s%s%s", f->path,
	    has_operator ? "" : "operator.yaml",
	    has_operator || has_watches ? "" : ", ",
	    has_watches ? "" : "watches.yaml");
}

static int
is_listed(const struct dirent *d)
{
	return d->d_name[0] != '.' && d->d_name[strlen(d->d_name) - 1] != '~';
}

/* Whether path, behind all links, is below the folder. */
static bool
is_inside(const struct folder *f, const char *path)
{
	char *real = file_real(path), *top = file_real(f->path);
	struct span rest = span_str(real);
	bool inside = real != NULL && top != NULL && span_take(&rest, top) &&
	    rest.n > 0 && (*rest.p == '/' || strcmp(top, "/") == 0);

	free(top);
	free(real);
	return inside;
}

/*
 * kgen does not wait for a pipe, and does not show the text of a file that only
 * a link has put into the folder.
 */
static int
check_file(
    const struct folder *f, const char *path, mode_t mode, struct err *err)
{
	if (!span_ends(span_str(path), ".yaml") &&
	    !span_ends(span_str(path), ".jq"))
		return 0;
	if (!S_ISREG(mode))
		return err_set(err, ERR_PERMANENT, "%s: not a file", path);
	return is_inside(f, path)
	    ? 0
	    : err_set(err, ERR_PERMANENT,
		  "%s: a link that leads out of the folder", path);
}

/* Programs may be anywhere in the folder, but not behind links to folders,
 * which may be rings. */
static bool
is_entered(const struct folder *f, const char *path, int depth)
{
	struct stat st;

	if (depth == 0)
		return true;
	return f->with_program && depth < FOLDERS_DEEP &&
	    lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && is_inside(f, path);
}

static int list_files(
    struct folder *f, const char *below, int depth, struct err *err);

static int
list_file(struct folder *f, const char *name, int depth, struct err *err)
{
	char *path = path_of(f, name);
	struct stat st;
	int rc = 0;

	if (stat(path, &st) != 0)
		rc = 0;
	else if (S_ISDIR(st.st_mode))
		rc = is_entered(f, path, depth)
		    ? list_files(f, name, depth + 1, err)
		    : 0;
	else if ((rc = check_file(f, path, st.st_mode, err)) == 0 &&
	    S_ISREG(st.st_mode))
		textlist_add(&f->files, name, strlen(name));
	free(path);
	return rc;
}

/* The files of a folder of it. Without programs, those of folders below only one
 * deep. */
static int
list_files(struct folder *f, const char *below, int depth, struct err *err)
{
	char *path = path_of(f, below);
	struct dirent **found = NULL;
	int n = scandir(path, &found, is_listed, alphasort), rc = 0;

	for (int i = 0; i < n; i++) {
		struct buf name = BUF_INIT;

		buf_addf(&name, "%s%s%s", below, *below ? "/" : "",
		    found[i]->d_name);
		if (rc == 0)
			rc = list_file(f, buf_str(&name), depth, err);
		buf_release(&name);
		free(found[i]);
	}
	free(found);
	free(path);
	return rc;
}

/* ---- variables ---- */

/* A name may be there several times: a text or an error decides. */
static void
on_reference(void *arg, const struct expand_reference *ref)
{
	struct folder *f = arg;
	jv name = jv_string_sized(ref->name.p, (int)ref->name.n);
	jv known = jv_object_get(jv_copy(f->variables), jv_copy(name));

	if (!jv_is_valid(known)) {
		jv_free(known);
		known = jv_object();
		known = jv_object_set(known, jv_string("name"), jv_copy(name));
		known = jv_object_set(known, jv_string("default"), jv_null());
		known = jv_object_set(known, jv_string("required"), jv_false());
	}
	if (ref->kind == '-')
		known = jv_object_set(known, jv_string("default"),
		    jv_string_sized(ref->text.p, (int)ref->text.n));
	if (ref->kind == '?')
		known = jv_object_set(known, jv_string("required"), jv_true());
	f->variables = jv_object_set(f->variables, name, known);
}

/* The object becomes a list, sorted by name. */
static void
sort_variables(struct folder *f)
{
	jv names = jv_keys(jv_copy(f->variables)), list = jv_array();

	for (int i = 0; i < jv_array_length(jv_copy(names)); i++)
		list = jv_array_append(list,
		    jv_object_get(jv_copy(f->variables),
			jv_array_get(jv_copy(names), i)));
	jv_free(names);
	jv_free(f->variables);
	f->variables = list;
}

static const char *
text_of(jv object_peek, const char *key)
{
	jv v = jvtext_peek(object_peek, key);

	return jv_get_kind(v) == JV_KIND_STRING ? jv_string_value(v) : "";
}

/*
 * watches.yaml is checked as the operator will read it: a variable has its
 * value of env in operator.yaml, and one that must be set and is not there is
 * taken for the operator's namespace (manifests set it so).
 */
static void
set_variables(const struct folder *f)
{
	jv env = jvtext_peek(f->about, "env");
	const char *namespace_ = text_of(f->about, "namespace");

	if (strcmp(text_of(f->about, "scope"), "namespace") == 0)
		mem_setenv("WATCH_NAMESPACE", namespace_);
	else
		unsetenv("WATCH_NAMESPACE");
	for (int i = 0; i < jv_array_length(jv_copy(f->variables)); i++) {
		jv v = jv_array_get(jv_copy(f->variables), i);
		const char *name = text_of(v, "name");
		jv given = jvtext_peek(env, name);

		if (jv_get_kind(given) == JV_KIND_STRING)
			mem_setenv(name, jv_string_value(given));
		else if (jv_get_kind(jvtext_peek(v, "required")) ==
		    JV_KIND_TRUE)
			mem_setenv(name, namespace_);
		else if (strcmp(name, "WATCH_NAMESPACE") != 0)
			unsetenv(name);
		jv_free(v);
	}
}

/* ---- operator.yaml with what the command line says ---- */

static jv
set_default(jv object, const char *key, jv value)
{
	if (jv_is_valid(jvtext_peek(object, key))) {
		jv_free(value);
		return object;
	}
	return jv_object_set(object, jv_string(key), value);
}

/* KEY=VALUE; the value is read as YAML. */
static int
set_one(struct folder *f, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	struct yaml *y;
	jv path = jv_array(), value;
	struct span key, first;

	if (equals == NULL || equals == text)
		return err_set(
		    err, ERR_PERMANENT, "--set %s: write KEY=VALUE", text);
	y = yaml_parse("--set", equals + 1, strlen(equals + 1), err);
	if (y == NULL)
		return -1;
	key = span_make(text, (size_t)(equals - text));
	first = span_cut(&key, '.');
	value = opfile_take(first, key.p != NULL, y, err) == 0
	    ? docstream_value(y, err)
	    : jv_invalid();
	yaml_tree_free(y);
	if (!jv_is_valid(value)) {
		jv_free(path);
		return -1;
	}
	for (key = span_make(text, (size_t)(equals - text)); key.p != NULL;) {
		struct span part = span_cut(&key, '.');

		path =
		    jv_array_append(path, jv_string_sized(part.p, (int)part.n));
	}
	value = jv_setpath(jv_copy(f->about), path, value);
	if (!jv_is_valid(value)) {
		jv_free(value);
		return err_set(err, ERR_PERMANENT,
		    "--set %s: a part of the key is not a mapping", text);
	}
	jv_free(f->about);
	f->about = value;
	return 0;
}

static int
set_about(struct folder *f, const struct folder_overrides *o, struct err *err)
{
	struct span given = span_str(o->namespace_);
	struct buf ns = BUF_INIT;

	jv_free(f->about);
	f->about = docstream_value(f->operator_yaml, err);
	if (!jv_is_valid(f->about))
		return -1;
	if (o->image != NULL && !imagename_is_image(span_str(o->image)))
		return err_set(err, ERR_PERMANENT,
		    "--image: \"%s\" is not an image, as "
		    "registry.example.com/name:tag",
		    o->image);
	if (given.p != NULL &&
	    (!dnsname_is_label(given) || given.n > DNSNAME_LABEL_MAX))
		return err_set(err, ERR_PERMANENT,
		    "--namespace: \"%s\" is not a name of a namespace",
		    given.p);
	if (o->image != NULL || o->with_program)
		f->about = jv_object_set(f->about, jv_string("image"),
		    jv_string(o->image != NULL ? o->image : KPIPE_IMAGE));
	if (o->scope != NULL)
		f->about = jv_object_set(
		    f->about, jv_string("scope"), jv_string(o->scope));
	f->about = set_default(f->about, "scope", jv_string("namespace"));
	f->about = set_default(f->about, "credentials", jv_string("stages"));
	f->about = set_default(f->about, "env", jv_object());
	f->about = set_default(f->about, "plurals", jv_object());
	for (size_t i = 0; i < o->sets.count; i++)
		if (set_one(f, o->sets.items[i], err) != 0)
			return -1;
	buf_addf(&ns, "%s-operator-system", text_of(f->about, "name"));
	f->about = jv_object_set(f->about, jv_string("namespace"),
	    jv_string(o->namespace_ ? o->namespace_ : buf_str(&ns)));
	buf_release(&ns);
	return 0;
}

/* ---- do crd.yaml and watches.yaml fit each other? ---- */

/* A member that is a scalar; "" if it is not there. */
static const char *
text(const struct yaml *mapping, const char *key)
{
	const struct yaml *y = NULL;

	if (mapping != NULL && mapping->type == YAML_MAPPING)
		y = yaml_get(mapping, key);
	return y != NULL && y->type == YAML_SCALAR ? y->text : "";
}

static const struct yaml *
below(const struct yaml *mapping, const char *key)
{
	if (mapping == NULL || mapping->type != YAML_MAPPING)
		return NULL;
	return yaml_get(mapping, key);
}

/* The file that has the CRD. */
static const char *
file_of(const struct folder *f, const struct yaml *crd)
{
	for (size_t i = 0; i < f->externals.count; i++)
		if (f->externals.items[i] == crd)
			return FOLDER_EXTERNALS;
	return "crd.yaml";
}

static int
crd_fail(const struct folder *f, const struct yaml *crd, const char *what,
    struct err *err)
{
	return err_set(err, ERR_PERMANENT, "%s/%s:%d: %s", f->path,
	    file_of(f, crd), crd->line, what);
}

/* ---- crd.yaml alone ---- */

/* The API server refuses other names, and these become names of files. */
static int
check_names(const struct folder *f, const struct yaml *crd,
    const struct yaml *spec, struct err *err)
{
	const struct yaml *names = below(spec, "names");
	struct span group = span_str(text(spec, "group"));
	struct span plural = span_str(text(names, "plural"));
	struct span kind = span_str(text(names, "kind"));

	if (group.n == 0 || plural.n == 0 || kind.n == 0)
		return crd_fail(f, crd,
		    "spec.group, spec.names.kind or spec.names.plural is "
		    "missing",
		    err);
	if (!dnsname_is_subdomain(group) || group.n > DNSNAME_SUBDOMAIN_MAX)
		return crd_fail(f, crd, "spec.group is not a DNS name", err);
	if (!dnsname_is_label(plural) || plural.n > DNSNAME_LABEL_MAX)
		return crd_fail(
		    f, crd, "spec.names.plural is not a DNS label", err);
	for (size_t i = 0; i < kind.n; i++)
		if ((!span_is_alnum(kind.p[i]) && kind.p[i] != '-') ||
		    kind.n > DNSNAME_LABEL_MAX)
			return crd_fail(f, crd,
			    "spec.names.kind is not a word of letters and "
			    "digits",
			    err);
	return 0;
}

static int
check_crd(const struct folder *f, const struct yaml *crd, struct err *err)
{
	const struct yaml *spec = below(crd, "spec");
	const struct yaml *names = below(spec, "names");
	const struct yaml *versions = below(spec, "versions");
	struct buf name = BUF_INIT;
	bool same;

	if (strcmp(text(crd, "kind"), "CustomResourceDefinition") != 0)
		return crd_fail(f, crd, "not a CustomResourceDefinition", err);
	if (strcmp(text(crd, "apiVersion"), "apiextensions.k8s.io/v1") != 0)
		return crd_fail(
		    f, crd, "apiVersion is not apiextensions.k8s.io/v1", err);
	if (check_names(f, crd, spec, err) != 0)
		return -1;
	if (versions == NULL || versions->type != YAML_SEQUENCE)
		return crd_fail(f, crd, "spec.versions must be a list", err);
	buf_addf(&name, "%s.%s", text(names, "plural"), text(spec, "group"));
	same =
	    strcmp(buf_str(&name), text(below(crd, "metadata"), "name")) == 0;
	if (!same)
		err_set(err, ERR_PERMANENT,
		    "%s/%s:%d: metadata.name must be %s", f->path,
		    file_of(f, crd), crd->line, buf_str(&name));
	buf_release(&name);
	return same ? 0 : -1;
}

/* ---- a kind of watches.yaml, and its CRD ---- */

/* The i-th CRD: those of crd.yaml, then those of others; or NULL. */
static const struct yaml *
crd_at(const struct folder *f, size_t i)
{
	if (i < f->crds.count)
		return f->crds.items[i];
	i -= f->crds.count;
	return i < f->externals.count ? f->externals.items[i] : NULL;
}

static const struct yaml *
find_crd(const struct folder *f, const struct watch_kind *k)
{
	const struct yaml *crd;

	for (size_t i = 0; (crd = crd_at(f, i)) != NULL; i++) {
		const struct yaml *spec = below(crd, "spec");

		if (strcmp(text(spec, "group"), k->group) == 0 &&
		    strcmp(text(below(spec, "names"), "kind"), k->kind) == 0)
			return crd;
	}
	return NULL;
}

static const struct yaml *
find_version(const struct yaml *crd, const char *version)
{
	const struct yaml *versions = below(below(crd, "spec"), "versions");

	for (size_t i = 0; i < versions->count; i++)
		if (strcmp(text(versions->values[i], "name"), version) == 0)
			return versions->values[i];
	return NULL;
}

static int
check_kind(const struct folder *f, const struct watch_kind *k,
    const struct yaml *crd, struct err *err)
{
	const struct yaml *version = find_version(crd, k->version);
	const char *scope = text(below(crd, "spec"), "scope");
	const char *watched =
	    k->scope == WATCH_CLUSTER ? "Cluster" : "Namespaced";

	if (version == NULL || strcmp(text(version, "served"), "true") != 0)
		return err_set(err, ERR_PERMANENT,
		    "%s:%d: %s: %s does not serve version %s", f->watches->path,
		    k->line, k->kind, file_of(f, crd), k->version);
	if (strcmp(scope, watched) != 0)
		return err_set(err, ERR_PERMANENT,
		    "%s:%d: %s: scope is %s, but %s has %s", f->watches->path,
		    k->line, k->kind, watched, file_of(f, crd), scope);
	return 0;
}

/* Groups of Kubernetes have no dot, or end so. */
static bool
is_builtin(const struct watch_kind *k)
{
	struct span group = span_str(k->group);

	return span_find(group, '.') == NULL || span_ends(group, ".k8s.io");
}

static int
check_primary(
    const struct folder *f, const struct watch_entry *e, struct err *err)
{
	const struct watch_kind *k = &e->primary;
	const struct yaml *crd = find_crd(f, k), *version;

	if (crd == NULL && is_builtin(k))
		return 0;
	if (crd == NULL)
		return err_set(err, ERR_PERMANENT, "%s:%d: %s: %s/crd.yaml %s",
		    f->watches->path, k->line, e->name, f->path,
		    f->crds.count == 0 ? "is missing" : "has no such kind");
	if (check_kind(f, k, crd, err) != 0)
		return -1;
	version = find_version(crd, k->version);
	if (e->manage_status &&
	    below(below(version, "subresources"), "status") == NULL)
		return err_set(err, ERR_PERMANENT,
		    "%s/%s:%d: subresources.status is missing, but the "
		    "operator writes the status (watches.yaml: manageStatus)",
		    f->path, file_of(f, crd), version->line);
	return 0;
}

static int
check_others(const struct folder *f, const struct watch_kind *kinds,
    size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct yaml *crd = find_crd(f, &kinds[i]);

		if (crd != NULL && check_kind(f, &kinds[i], crd, err) != 0)
			return -1;
	}
	return 0;
}

/*
 * Each primary that is not a kind of Kubernetes has a CRD; its version is served,
 * its scope is the one that is watched, and its status has a subresource where
 * the operator writes one. -1 with err "FILE:LINE: ...".
 */
static int
check_fit(const struct folder *f, struct err *err)
{
	for (size_t i = 0; crd_at(f, i) != NULL; i++)
		if (check_crd(f, crd_at(f, i), err) != 0)
			return -1;
	for (size_t i = 0; i < f->watches->count; i++) {
		const struct watch_entry *e = &f->watches->entries[i];

		if (check_primary(f, e, err) != 0 ||
		    check_others(f, e->dependents, e->dependent_count, err) !=
			0 ||
		    check_others(f, e->related, e->related_count, err) != 0)
			return -1;
	}
	return 0;
}

/* ---- all of it ---- */

static int
load_stream(const struct folder *f, const char *name, struct docstream *d,
    struct err *err)
{
	char *path;
	int rc;

	if (!has(f, name))
		return 0;
	path = path_of(f, name);
	rc = docstream_load(d, path, err);
	free(path);
	return rc;
}

static int
load_all(struct folder *f, const struct folder_overrides *o, struct err *err)
{
	char *path = path_of(f, "operator.yaml");

	f->operator_yaml = opfile_load(path, err);
	free(path);
	if (f->operator_yaml == NULL || set_about(f, o, err) != 0 ||
	    (!o->without_crds &&
		load_stream(f, "crd.yaml", &f->crds, err) != 0) ||
	    load_stream(f, FOLDER_EXTERNALS, &f->externals, err) != 0 ||
	    load_stream(f, "example.yaml", &f->examples, err) != 0)
		return -1;
	path = path_of(f, "watches.yaml");
	f->watches_yaml = expand_load_raw(path, on_reference, f, err);
	if (f->watches_yaml != NULL) {
		sort_variables(f);
		set_variables(f);
		f->watches = watches_load(path, NULL, err);
	}
	free(path);
	if (f->watches == NULL)
		return -1;
	/* The variables of another watches.yaml are not those of the operator,
	 * which has no use for them. */
	if (o->shadow != NULL) {
		struct watches *w = NULL;

		f->shadow_yaml = expand_load_raw(o->shadow, NULL, NULL, err);
		if (f->shadow_yaml != NULL)
			w = watches_load(o->shadow, NULL, err);
		if (w == NULL)
			return -1;
		watches_free(w);
	}
	return o->without_crds ? 0 : check_fit(f, err);
}

int
folder_load(struct folder *f, const char *path,
    const struct folder_overrides *o, struct err *err)
{
	*f = (struct folder){.path = path,
	    .variables = jv_object(),
	    .about = jv_null(),
	    .with_program = o->with_program};
	textlist_init(&f->files);
	if (check_folder(f, err) == 0 && list_files(f, "", 0, err) == 0 &&
	    load_all(f, o, err) == 0)
		return 0;
	folder_release(f);
	return -1;
}

void
folder_release(struct folder *f)
{
	yaml_tree_free(f->operator_yaml);
	yaml_tree_free(f->watches_yaml);
	yaml_tree_free(f->shadow_yaml);
	docstream_release(&f->crds);
	docstream_release(&f->externals);
	docstream_release(&f->examples);
	textlist_release(&f->files);
	jv_free(f->variables);
	jv_free(f->about);
	watches_free(f->watches);
}

/* ---- the description ---- */

static jv
member(jv object, const char *key, jv value)
{
	if (jv_is_valid(object) && jv_is_valid(value))
		return jv_object_set(object, jv_string(key), value);
	jv_free(object);
	jv_free(value);
	return jv_invalid();
}

jv
folder_describe(const struct folder *f, struct err *err)
{
	struct buf text = BUF_INIT;
	jv d = jv_copy(f->about), files = jv_array(), kpipe = jv_object();

	for (size_t i = 0; i < f->files.count; i++)
		files = jv_array_append(files, jv_string(f->files.items[i]));
	kpipe = member(kpipe, "version", jv_string(KPIPE_VERSION));
	d = member(d, "watches", docstream_value(f->watches_yaml, err));
	if (f->shadow_yaml != NULL)
		d = member(d, "shadow", docstream_value(f->shadow_yaml, err));
	d = member(d, "variables", jv_copy(f->variables));
	d = member(d, "crds", docstream_values(&f->crds, err));
	d = member(d, "external", docstream_values(&f->externals, err));
	d = member(d, "examples", docstream_values(&f->examples, err));
	d = member(d, "files", files);
	d = member(d, "kpipe", kpipe);
	if (f->with_program)
		d = member(
		    d, "program", configdata_read(f->path, &f->files, err));
	/* libjq keeps numbers as doubles: one that it changes is an error. */
	if (jv_is_valid(d) &&
	    jvtext_add_ordered(&text, d, JVTEXT_KEPT, err) != 0) {
		err_prefix(err, "%s: the description", f->path);
		jv_free(d);
		d = jv_invalid();
	}
	buf_release(&text);
	return d;
}
