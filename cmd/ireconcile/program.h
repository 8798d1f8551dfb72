/*
 * program: the author's reconcile.jq, compiled once, called many times.
 *
 * The functions of a program are pure: each sees as its input `.`
 *
 *	{primary, owned, related, operator, now, outstanding, error}
 *
 * of which the caller gives what doc/protocol.md says; `desired` gets `owned`
 * and `now` only if desiredReads lists them (see program_reads). The text is
 * composed in one source: guards, the libraries that `include "NAME";` at the
 * top of the file names (spliced, each once), the author's text, and a switch
 * that picks the function by the input. So guards hold for libraries too.
 *
 * Impure functions (now env $ENV input debug stderr halt ...) are refused
 * when the program is loaded, with file and line. A call is limited in CPU
 * time and memory; one that goes beyond fails like any other call, and the
 * program stays usable. A process may hold many programs; one thread.
 *
 * Call program_init() once, first thing in main, before anything is compiled.
 *
 * Errors of a call: err->message is fit for users. The text of the author's
 * own error("text") is kept as it is; of jq's messages, which echo the input,
 * only the words stay. Kind is ERR_PERMANENT.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jv.h>

#include "err.h"
#include "span.h"

/*
 * Clears the environment (TZ is UTC then), so that nothing of it reaches a
 * program or libjq; raises the stack limit; prepares SHA-256. Whoever needs
 * environment variables (watches.yaml) reads them before.
 */
void program_init(void);

enum program_call {
	PROGRAM_DESIRED,
	PROGRAM_STATUS,
	PROGRAM_FINALIZE,
	PROGRAM_REQUEUE,
	PROGRAM_SETTLED,
	PROGRAM_EVENTS,
	PROGRAM_MAP, /* the expression of `map: {jq: ...}` */
	PROGRAM_CALLS
};

/* What `desired` may read beside primary, related and operator. */
enum { PROGRAM_READS_OWNED = 1, PROGRAM_READS_NOW = 2 };

struct program_options {
	/* Where `include "NAME";` finds NAME.jq: beside the including file
	 * first, then in these, NULL-terminated; borrowed. */
	const char *const *library_dirs;
	unsigned desired_reads; /* PROGRAM_READS_... */
	uint64_t time_limit_ms; /* CPU time of one call; 0: 1000 */
	size_t memory_limit;	/* growth in one call, bytes; 0: 256 MiB */
};

struct program;

/*
 * Compiles the file. NULL with err "FILE:LINE: message" for what jq refuses,
 * "cannot read FILE: ..." if it is not there, and so on. Options are copied
 * (not the strings of library_dirs, which are needed only here).
 */
struct program *program_load(
    const char *path, const struct program_options *options, struct err *err);

/*
 * Compiles one expression (`map: {jq: EXPR}`) with the same guards; `name`
 * ("watches.yaml:12") goes before messages. Only program_map may be called.
 */
struct program *program_load_expression(const char *name, const char *text,
    const struct program_options *options, struct err *err);

void program_free(struct program *p);

/* Does the author define this function? (PROGRAM_DESIRED: always.) */
bool program_defines(const struct program *p, enum program_call call);

/* Calls so far that ended at a limit, and bytes lost by that. */
struct program_losses {
	uint64_t calls;
	uint64_t bytes;
};
struct program_losses program_losses(void);

/*
 * The calls. input is consumed; `about` ("IoTService ns/name") goes before the
 * message of a limit. All return 0, or -1 with err.
 */

struct program_item {
	jv object;	/* has apiVersion, kind, metadata.name */
	bool once;	/* once(object): create at most once */
	bool if_exists; /* if_exists(object): never create */
};

struct program_items {
	struct program_item *items; /* owned, in the program's order */
	size_t count;
};
void program_items_release(struct program_items *items);

/* Exactly one array of objects, no identity (apiVersion's group, kind,
 * namespace, name) twice. All else is an error. */
int program_desired(struct program *p, jv input, const char *about,
    struct program_items *items, struct err *err);

struct program_finalize {
	struct program_items items;
	jv delete_; /* owned array of objects with apiVersion, kind, metadata */
	bool done;
};
int program_finalize(struct program *p, jv input, const char *about,
    struct program_finalize *result, struct err *err);
void program_finalize_release(struct program_finalize *result);

/* One object in *status, owned; jv_invalid() if the program gives none
 * (no output, null, or no such function). */
int program_status(struct program *p, jv input, const char *about, jv *status,
    struct err *err);

enum program_when { PROGRAM_NEVER, PROGRAM_AFTER, PROGRAM_AT };
struct program_requeue {
	enum program_when when;
	uint64_t after_ms; /* PROGRAM_AFTER */
	int64_t at_us;	   /* PROGRAM_AT: Unix time */
};
int program_requeue(struct program *p, jv input, const char *about,
    struct program_requeue *requeue, struct err *err);

/* One boolean. Without such a function: true. */
int program_settled(struct program *p, jv input, const char *about,
    bool *settled, struct err *err);

/* One array of {type, reason, message}, each a string, type Normal or
 * Warning; owned. Without such a function: []. */
int program_events(struct program *p, jv input, const char *about, jv *events,
    struct err *err);

/* input is the object; the result an owned array of {namespace, name}
 * (namespace "" if the expression gives none). */
int program_map(struct program *p, jv input, jv *primaries, struct err *err);

#endif
