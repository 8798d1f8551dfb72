/*
 * opfolder: the parts that ktorture reads of an operator's folder.
 *
 *	watches.yaml   the kinds, and in which namespaces (conf/watches.h)
 *	crd.yaml, crd/X.yaml, external-crds.yaml
 *		       the schemas; all that are there
 *	example.yaml   the primary, and what is made before it: the further
 *		       documents, in their order
 *	t/before.yaml  optional: what else is there before every scenario, and
 *		       has no place in an example, as a pull secret
 *	t/<name>.scenario
 *		       scenarios (scenario.h)
 *	operator.yaml  optional: its env
 *
 * Objects without a namespace get one: the first that watches.yaml names for
 * the primary, else that of the primary in example.yaml, else default. If it is
 * another than default, a Namespace of that name is made first.
 *
 * The values of Secrets in these documents get marks that nobody else would
 * write, so that a leak can be seen: a text that is also a part of the base64
 * of the value (lib/jq/torture/plant.jq).
 */
#ifndef OPFOLDER_H
#define OPFOLDER_H

#include <jv.h>

#include "base/err.h"
#include "base/textlist.h"

struct opfolder {
	char *watches_path;
	char *old_watches; /* of the version before; NULL: none is played */
	char *path;	   /* the folder of that file */
	char *namespace_;  /* of objects without one */
	jv kinds;     /* [{apiVersion, kind, namespaced}]: primaries first */
	jv primaries; /* [{apiVersion, kind, namespaced}] */
	jv entries;   /* watches.yaml, as it is written */
	jv crds;      /* [CustomResourceDefinition] */
	jv before;    /* [object], made before the primary, in this order */
	jv primary;   /* the object; invalid: example.yaml has none */
	jv rules;     /* of all scenarios: scenario_written() sets them */
	jv marks;     /* ["ktorture-secret-01", its base64, ...] */
	struct textlist dirs; /* where jq programs are: the library */
};

/*
 * Reads and checks everything. A variable that watches.yaml needs and that is
 * not set is set: as operator.yaml says, else `${VAR:?text}` to "default". So
 * call it before anything that reads the environment. library: a folder with
 * torture/, or NULL: beside the bin/ of this program. -1 with err, which names
 * file and line (ERR_PERMANENT); f is released then.
 */
int opfolder_load(struct opfolder *f, const char *watches_path,
    const char *library, struct err *err);
void opfolder_release(struct opfolder *f);
/* The folder of the version before, by its watches.yaml: it is read and checked,
 * and its primaries are of kinds that f has. -1 with err. */
int opfolder_set_old(
    struct opfolder *f, const char *watches_path, struct err *err);

/* The documents of a file of the folder, with their namespaces and marks; owned.
 * Invalid with err. */
jv opfolder_documents(struct opfolder *f, const char *name, struct err *err);
/* Sets the namespace of an object that needs one and has none; takes it. */
jv opfolder_place(const struct opfolder *f, jv object);
/* Whether it is of a kind that the operator has entries for. */
bool opfolder_is_primary(const struct opfolder *f, jv object_peek);
/* The same of a resource, "crons.example.com" or "crons.example.com:status". */
bool opfolder_is_primary_resource(
    const struct opfolder *f, struct span resource);

/* Runs torture/NAME.jq, whose function of that name takes input and gives one
 * value; owned. Takes input. Invalid with err. */
jv opfolder_run(
    const struct opfolder *f, const char *name, jv input, struct err *err);

#endif
