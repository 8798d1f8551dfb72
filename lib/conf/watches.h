/*
 * watches: the file that says what an operator watches and which program it
 * runs: watches.yaml, one entry per primary kind.
 *
 *	struct watches *w = watches_load(path, NULL, &err);
 *	if (w == NULL) fatal, exit err_exit_code(&err): 100
 *	for (size_t i = 0; i < w->count; i++) ... w->entries[i].primary.kind
 *	watches_free(w);
 *
 * Everything hangs off struct watches and is borrowed from it. Strings end in
 * NUL; lists of strings have a count and also end in NULL. Optional things
 * are NULL, 0 or empty as said below. ${VAR}, ${VAR:-text} and ${VAR:?text} are
 * filled in from the environment (see expand.h). Errors read
 * "FILE:LINE: unknown key "x"" and are ERR_PERMANENT.
 */
#ifndef WATCHES_H
#define WATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/textlist.h"

enum watch_scope { WATCH_NAMESPACED, WATCH_CLUSTER };

enum watch_require {
	WATCH_ANY_SCOPE,
	WATCH_REQUIRE_CLUSTER,
	WATCH_REQUIRE_NAMESPACE
};

/* How an object of a dependent or related kind finds its primaries. */
enum watch_map {
	WATCH_MAP_MEMBER, /* by its marks: "owner", the default of dependents */
	WATCH_MAP_LABEL,  /* map_arg: label whose value is the primary's name;
			   * its namespace is map_namespace, else that of
			   * the object: {label: KEY, namespace: NS} */
	WATCH_MAP_JQ,	  /* map_arg: expression giving [{namespace, name}] */
	WATCH_MAP_FIELD,  /* map_fields: paths in the primary that lead to names
			   * of objects, in its namespace or map_namespace:
			   * {field: PATH, namespace: NS}; or in the one that
			   * the primary names beside it: {field: PATH,
			   * namespaceField: PATH}; related kinds */
	WATCH_MAP_ALL	  /* every primary: the default of related kinds */
};

/* A kind to watch: the primary itself, a dependent or a related kind. */
struct watch_kind {
	int line;
	char *api_version; /* "apps/v1", "v1" */
	char *group;	   /* "" for core */
	char *version;
	char *kind;
	/*
	 * The scope that `scope:` gives. Without it, Cluster for the cluster-
	 * scoped kinds that Kubernetes itself serves, and Namespaced for
	 * everything else.
	 */
	enum watch_scope scope;
	bool optional; /* a missing kind is complete and empty */
	/*
	 * Where to watch, each once. Empty: all namespaces. The primary: its
	 * `namespaces`, of which -n may choose; if they are empty, -n or -A; if
	 * there is no key, -n or -A, else WATCH_NAMESPACE. Others: their own
	 * `namespaces` (`[]` is all), else those of the primary. Of no meaning
	 * for cluster-scoped kinds.
	 */
	struct textlist namespaces;
	/* Of these namespaces only those with such labels: "a=b,c in (d,e)". NULL:
	 * labels do not count. That of the primary, if follows. */
	char *namespace_selector;
	bool follows;	/* both are the primary's. Not of the primary */
	char *selector; /* "a=b,c in (d,e)" as the API takes it, or NULL */
	struct textlist redact; /* dotted paths: kwatch --redact */

	/* Dependents and related kinds only. */
	bool manage;	   /* may be desired, is pruned */
	bool prune_always; /* ... although an item failed. Only with manage */
	bool retain;	   /* items may outlive the primary. Only with manage */
	bool deletes;	   /* objects may be deleted. Related kinds */
	bool patches;	   /* fields may be held. Related kinds */
	enum watch_map map;
	char *map_arg;
	int map_line;	     /* line of map_arg in the file */
	char *map_namespace; /* or NULL */
	struct textlist map_fields;
	/* WATCH_MAP_FIELD: paths to the namespaces of the objects, one for each
	 * of map_fields; or empty. */
	struct textlist map_namespace_fields;
	struct textlist fields; /* dotted paths, "[]" for elements; empty:
				   * whole objects. Never with manage. */
	bool metadata_only;	/* fields, and all of them in metadata */
};

/* A program between kwatch and ireconcile. */
struct watch_filter {
	int line;
	/* The command and its arguments. A command with a slash is relative to
	 * the folder of the file; another one is looked for in PATH. */
	struct textlist command;
};

struct watch_entry {
	int line;
	const char *path; /* path of the file, borrowed: for messages */
	struct watch_kind primary;
	enum watch_require require; /* requireScope */
	char *name;		    /* "iotservice.cp.iot.sap": for logs */
	char *manager;		    /* "kpipe-iotservice.cp.iot.sap" */
	char *program;	     /* path to open: relative to the watches file */
	char *operator_json; /* `.operator` as JSON text; "{}" if not given */
	/* The name of this instance of the operator, by `instance`, or
	 * `operator.name`; or NULL. */
	char *instance;
	char *finalizer; /* or NULL */
	char *when;	 /* an expression over the primary, or NULL */
	int when_line;
	struct textlist retired_finalizers; /* removed from every primary */
	struct textlist left_out;	    /* namespaces that -n leaves out */
	bool marks;			    /* items may need marks */
	bool proves;			    /* items are proven to be ours:
					     * of a cluster-scoped primary */
	bool retains;			    /* a dependent has retain, or a
					     * related kind patch */
	bool random;			    /* the program calls random(...) */
	bool guard_status;	      /* a status is tied to its version */
	char *adopt;		      /* adopt.label, or NULL */
	uint64_t reconcile_period_ms; /* 0: none */
	bool manage_status;	      /* default true */
	long max_concurrent;	      /* default 10 */
	long evaluations_per_minute;  /* of one primary; 0: no limit */
	long throttle_limit;	      /* 0: no throttle */
	uint64_t throttle_timeout_ms; /* default 15 min */
	bool reads_owned, reads_now;  /* desiredReads */
	struct watch_kind *dependents;
	size_t dependent_count;
	struct watch_kind *related;
	size_t related_count;
	struct watch_filter *filters; /* in the order of the pipe */
	size_t filter_count;
};

struct watches {
	char *path; /* path as the user gave it: for messages */
	struct watch_entry *entries;
	size_t count;
	/* The kind Namespace, with its labels, if an entry or a kind selects
	 * namespaces; else its kind is NULL. selector: theirs, if all have the
	 * same. */
	struct watch_kind namespaces;
	bool has_variables; /* values of the environment are in it */
};

/* -n and -A of the command line, which override WATCH_NAMESPACE, and choose
 * among the namespaces that the file has for primaries. */
struct watches_scope {
	const char *namespaces; /* "a,b"; NULL: not given */
	bool all;
};

/*
 * Reads, substitutes and checks, `program` files' existence and
 * `requireScope` included. scope may be NULL, or name nothing. NULL on error.
 * The file is at most 1 MiB.
 */
struct watches *watches_load(
    const char *path, const struct watches_scope *scope, struct err *err);
void watches_free(struct watches *w);

/* "Deployment.apps", "Pod": the beginning of object keys. */
void watch_kind_name(const struct watch_kind *k, struct buf *out);

#endif
