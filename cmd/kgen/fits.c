#include "fits.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/span.h"
#include "value/dnsname.h"

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

static int
fail(const struct folder *f, const struct yaml *y, const char *what,
    struct err *err)
{
	return err_set(
	    err, ERR_PERMANENT, "%s/crd.yaml:%d: %s", f->path, y->line, what);
}

/* ---- crd.yaml alone ---- */

/* The API server refuses other names, and ours become names of files. */
static int
check_names(const struct folder *f, const struct yaml *crd,
    const struct yaml *spec, struct err *err)
{
	const struct yaml *names = below(spec, "names");
	struct span group = span_str(text(spec, "group"));
	struct span plural = span_str(text(names, "plural"));
	struct span kind = span_str(text(names, "kind"));

	if (group.n == 0 || plural.n == 0 || kind.n == 0)
		return fail(f, crd,
		    "spec.group, spec.names.kind or spec.names.plural is "
		    "missing",
		    err);
	if (!dnsname_is_subdomain(group) || group.n > DNSNAME_SUBDOMAIN_MAX)
		return fail(f, crd, "spec.group is not a DNS name", err);
	if (!dnsname_is_label(plural) || plural.n > DNSNAME_LABEL_MAX)
		return fail(
		    f, crd, "spec.names.plural is not a DNS label", err);
	for (size_t i = 0; i < kind.n; i++)
		if ((!span_is_alnum(kind.p[i]) && kind.p[i] != '-') ||
		    kind.n > DNSNAME_LABEL_MAX)
			return fail(f, crd,
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
		return fail(f, crd, "not a CustomResourceDefinition", err);
	if (strcmp(text(crd, "apiVersion"), "apiextensions.k8s.io/v1") != 0)
		return fail(
		    f, crd, "apiVersion is not apiextensions.k8s.io/v1", err);
	if (check_names(f, crd, spec, err) != 0)
		return -1;
	if (versions == NULL || versions->type != YAML_SEQUENCE)
		return fail(f, crd, "spec.versions must be a list", err);
	buf_addf(&name, "%s.%s", text(names, "plural"), text(spec, "group"));
	same =
	    strcmp(buf_str(&name), text(below(crd, "metadata"), "name")) == 0;
	if (!same)
		err_set(err, ERR_PERMANENT,
		    "%s/crd.yaml:%d: metadata.name must be %s", f->path,
		    crd->line, buf_str(&name));
	buf_release(&name);
	return same ? 0 : -1;
}

/* ---- a kind of watches.yaml, and its CRD ---- */

static const struct yaml *
find_crd(const struct folder *f, const struct watch_kind *k)
{
	for (size_t i = 0; i < f->crds.count; i++) {
		const struct yaml *spec = below(f->crds.items[i], "spec");

		if (strcmp(text(spec, "group"), k->group) == 0 &&
		    strcmp(text(below(spec, "names"), "kind"), k->kind) == 0)
			return f->crds.items[i];
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
		    "%s:%d: %s: crd.yaml does not serve version %s",
		    f->watches->path, k->line, k->kind, k->version);
	if (strcmp(scope, watched) != 0)
		return err_set(err, ERR_PERMANENT,
		    "%s:%d: %s: scope is %s, but crd.yaml has %s",
		    f->watches->path, k->line, k->kind, watched, scope);
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
		return fail(f, version,
		    "subresources.status is missing, but the operator writes "
		    "the status (watches.yaml: manageStatus)",
		    err);
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

int
fits_check(const struct folder *f, struct err *err)
{
	for (size_t i = 0; i < f->crds.count; i++)
		if (check_crd(f, f->crds.items[i], err) != 0)
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
