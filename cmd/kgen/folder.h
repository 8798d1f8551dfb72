/*
 * folder: the folder of an operator, and its description: the one JSON object
 * that every generator reads (kgen.1 lists its members).
 *
 *	operator.yaml  opfile.h
 *	watches.yaml   as lib/conf reads it; in the description as it is written,
 *		       with ${VAR} in it
 *	crd.yaml       optional where all primaries are kinds of Kubernetes
 *	external-crds.yaml
 *		       optional: kinds of other projects
 *	example.yaml   optional
 */
#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>
#include <jv.h>

#include "base/err.h"
#include "base/textlist.h"
#include "conf/watches.h"
#include "conf/yaml.h"
#include "docstream.h"
#include "process/opt.h"

#define FOLDER_EXTERNALS "external-crds.yaml"

/* Options of the command line, instead of operator.yaml; borrowed. */
struct folder_overrides {
	const char *image;	/* may have a tag and a digest; or NULL */
	const char *namespace_; /* or NULL: NAME-operator-system */
	const char *scope;	/* or NULL */
	const char *shadow;   /* another watches.yaml: see kpipe(1); or NULL */
	struct opt_list sets; /* KEY=VALUE: KEY may be a path, a.b */
	bool without_crds;    /* crd.yaml is not read: it is to be made */
	/* The description has `program`: the files that run, {digest, texts},
	 * for a ConfigMap; and the image is that of kpipe, without another. */
	bool with_program;
};

struct folder {
	const char *path; /* borrowed */
	struct yaml *operator_yaml, *watches_yaml, *shadow_yaml;
	struct docstream crds, externals, examples;
	struct textlist files; /* sorted */
	jv variables;	       /* [{name, default, required}], sorted */
	jv about;	       /* operator.yaml with overrides and defaults */
	bool with_program;
	struct watches *watches;
};

/*
 * Reads and checks everything. It sets environment variables, those that
 * watches.yaml needs, so call it before anything that reads others. -1 with
 * err, which names file and line.
 */
int folder_load(struct folder *f, const char *path,
    const struct folder_overrides *o, struct err *err);
void folder_release(struct folder *f);

/* Owned; invalid with err if a number would change on its way through jq. */
jv folder_describe(const struct folder *f, struct err *err);

#endif
