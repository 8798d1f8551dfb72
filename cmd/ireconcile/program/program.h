/*
 * program: the author's reconcile.jq, loaded once, called many times; all that
 * other rooms know of programs and of the processes that run them.
 *
 * The functions of a program are pure: each sees as its input `.`
 *
 *	{primary, owned, related, operator, now, outstanding, error, plan}
 *
 * with the members that doc/program.md describes; `desired` and `plan` get
 * `owned` and `now` only if desiredReads lists them. Impure functions (now env
 * $ENV input stderr halt ...) are refused when the program is loaded, with file
 * and line.
 *
 * Calls run in another process, limited in CPU time and memory. A call beyond a
 * limit, or that ends that process, fails like any other, and the program stays
 * usable. A process may hold many programs; one thread.
 *
 * Errors of a call: err->message may be shown to users. The text of the
 * author's own error("text") is kept as it is; of jq's messages, which echo the
 * input, only the words are kept. Kind is ERR_PERMANENT.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jv.h>

#include "base/err.h"
#include "base/span.h"
#include "base/textlist.h"
#include "process/log.h"
#include "process/sandbox.h"
#include "value/digest.h"
#include "item/itemmarks.h"

/* ---- load ---- */

/*
 * First thing in main. Clears the environment (TZ is UTC then), so that nothing
 * of it reaches a program or libjq; raises the stack limit; prepares SHA-256. A
 * caller that needs environment variables (watches.yaml) reads them before.
 */
void program_init(void);

enum program_call {
	PROGRAM_DESIRED,
	PROGRAM_STATUS,
	PROGRAM_FINALIZE,
	PROGRAM_REQUEUE,
	PROGRAM_SETTLED,
	PROGRAM_EVENTS,
	PROGRAM_PLAN,
	PROGRAM_MAP, /* the expression of `map: {jq: ...}` */
	PROGRAM_CALLS
};

/* Members that `desired` and `plan` may read besides primary, related and
 * operator. */
enum { PROGRAM_READS_OWNED = 1, PROGRAM_READS_NOW = 2 };

struct program_options {
	/* Where `include "NAME";` finds NAME.jq: beside the including file
	 * first, then in these, NULL-terminated; borrowed. */
	const char *const *library_dirs;
	unsigned desired_reads; /* PROGRAM_READS_... */
	bool debugs;		/* the values of `debug` are logged: debugs.h */
	uint64_t time_limit_ms; /* CPU time of one call; 0: 1000 */
	size_t memory_limit;	/* growth in one call, bytes; 0: 256 MiB */
	/* The name of an expression in messages; static. NULL: "map". */
	const char *expression;
};

struct program;

/*
 * Compiles the file. NULL with err "FILE:LINE: message" for what jq refuses,
 * "cannot read FILE: ..." if it does not exist, and so on. Options are copied
 * (not the strings of library_dirs, which are needed only here).
 */
struct program *program_load(
    const char *path, const struct program_options *options, struct err *err);
/*
 * Compiles one expression (`map: {jq: EXPR}`) with the same guards; `name`
 * ("watches.yaml:12") goes before messages. Only program_map or program_test
 * may be called.
 */
struct program *program_load_expression(const char *name, const char *text,
    const struct program_options *options, struct err *err);
void program_free(struct program *p);

/* All that are loaded now are for processes that are forked later: there,
 * program_load and program_load_expression give one of them, if it is that
 * program with those options, and do not read the file again. */
void program_spare_all(void);

/* The names that an input may have, in all entries: they may share a
 * program. */
struct program_known {
	const struct textlist *owned, *related; /* kinds, as programs name
						 * them */
	const struct textlist *operator_keys;
	bool filters; /* objects may be of any shape */
};
/* Refuses reads of a member that the input, or an object of the API in it,
 * never has; the input of an expression is its object. Unknown keys of
 * .operator are only logged. */
int program_check_reads(const struct program *p,
    const struct program_known *known, struct err *err);
/* Logs that nothing calls its `finalize`, which it has to define. */
void program_warn_finalize(const struct program *p);

/* ---- what the text of a program tells ---- */

/* Whether the author defines this function. (PROGRAM_DESIRED: always.) */
bool program_defines(const struct program *p, enum program_call call);
/* The functions that may see .MEMBER of the input, or .owned.KIND: bits, 1u <<
 * enum program_call. The results of the others do not depend on it. */
unsigned program_sees(const struct program *p, const char *member);
unsigned program_sees_owned(const struct program *p, const char *kind);
/* Whether the program may look into values of a member of this name, or into
 * all of an object of this name. */
bool program_looks_into(const struct program *p, struct span member);
bool program_inspects(const struct program *p, struct span object);
/* Whether a call may print lines of `debug`. */
bool program_prints_debugs(const struct program *p);

/* ---- the processes that run programs ---- */

/*
 * All programs are loaded: starts the processes in which they run, before the
 * caller has a thread or enters a sandbox, and frees what only those need.
 * Without it the first call starts them, without a sandbox. -1 with err.
 */
int program_start(enum sandbox_mode mode, struct err *err);
/* The system calls that the caller keeps in its own sandbox (sandbox_enter). */
extern const struct sandbox_rule *const program_sandbox[];
/* Readable when something happened between calls; then call evaluator_look,
 * which returns false if the processes have ended: then the caller must end. */
int evaluator_fd(void);
bool evaluator_look(void);
/* False: the processes are gone. Results of calls are invalid then; the caller
 * has to end. */
bool program_alive(void);
/* Called before a wait, after which we may run on any processor. Calls in a row
 * stay on one. */
void evaluator_roam(void);

/* Processes that were killed, and not by us: perhaps for memory. */
struct evaluator_kills {
	uint64_t count;
	uint64_t peak_kib; /* the most memory that the last one had */
};
struct evaluator_kills evaluator_kills(void);

/* The processes whose CPU time counts. Where all goes by the clock of the
 * input, no time counts: the result must not depend on it. */
enum cost_time { COST_NO_TIME, COST_PROGRAMS, COST_PROGRAMS_AND_OURS };
/* The use of cost_begin to cost_end. Costs may overlap. */
struct cost {
	enum cost_time time;
	uint64_t cpu_us;
	uint64_t limited; /* calls that ended at a limit */
	uint64_t crashed; /* calls that crashed in jq */
};
struct cost cost_begin(enum cost_time time);
void cost_end(struct cost *c);

/* ---- the input of a call ---- */

/*
 * The process that holds the objects keeps and sends them as text. Each text is
 * sent once in an evaluation, with the first call that needs it: the worker
 * keeps the parsed values, under the numbers that the sender gave them.
 */

/* The parts of the texts below. */
enum arguments_part {
	ARGUMENTS_WHOLE,   /* the text of `.`, without other parts */
	ARGUMENTS_PRIMARY, /* text of the object */
	ARGUMENTS_RELATED, /* a key of .related; then its objects */
	ARGUMENTS_OWNED,   /* a key of .owned; then its objects */
	ARGUMENTS_OBJECT,
	ARGUMENTS_OPERATOR,    /* text of .operator */
	ARGUMENTS_LOOPS,       /* text of .loops */
	ARGUMENTS_OUTSTANDING, /* text of an element of .outstanding */
	ARGUMENTS_PLAN	       /* text of .plan */
};

/* Appends a part. */
void arguments_add(struct buf *b, enum arguments_part part, struct span bytes);

/* Texts that the worker keeps. A new base drops the others, which came with the
 * old one. */
enum arguments_text {
	ARGUMENTS_TEXT_BASE,	/* whole, or primary, related, operator */
	ARGUMENTS_TEXT_OWNED,	/* .owned */
	ARGUMENTS_TEXT_OUTCOME, /* .loops and .outstanding */
	ARGUMENTS_TEXT_PLAN,	/* .plan */
	ARGUMENTS_TEXTS
};

/* The keys from which random(SEED; LENGTH) makes its texts: one for each
 * primary, so that a worker never has that of another one; and random_for(NAME;
 * SEED; LENGTH): one for each kind and namespace of primaries. */
enum random_key_state { RANDOM_OFF, RANDOM_LACKS_KEY, RANDOM_READY };
struct random_key {
	enum random_key_state state;
	unsigned char bytes[DIGEST_SIZE]; /* RANDOM_READY, as named: */
	unsigned char named[DIGEST_SIZE];
};

enum {
	ARGUMENTS_HAS_OWNED = 1,
	ARGUMENTS_HAS_NOW = 2,
	ARGUMENTS_HAS_OUTCOME = 4,
	ARGUMENTS_HAS_PLAN = 8
};
struct arguments {
	unsigned has; /* ARGUMENTS_HAS_... */
	double now;
	struct random_key random;
	/* With an outcome: .error as plain text, not JSON; without p: null. */
	struct span error;
	/* Borrowed. The worker keeps a text as long as its number does not
	 * change; 0: it is not kept. */
	struct {
		uint64_t id;
		struct span text;
	} texts[ARGUMENTS_TEXTS];
};

/* A number for a text that was not used before. */
uint64_t arguments_id(void);

/* Appends the input as one line of JSON. -1 with err: see jvtext_add. */
int arguments_print(
    const struct arguments *input, struct buf *out, struct err *err);

/* ---- call ---- */

/* An evaluation begins. After two lost calls its other calls fail at once, so
 * that it takes at most twice the limit of a call. who: for the log; what it
 * borrows is valid until the last call of this evaluation. */
void program_begin(const struct log_about *who);

/*
 * The calls. `about` ("IoTService ns/name") goes into the message of a limit.
 * All return 0, or -1 with err.
 */

/* The limit of the plan's text, which is kept for each primary. */
enum { PROGRAM_PLAN_MAX = 1 << 20 };

/* Appends the one result of `plan`, of any type, to text, as JSON. The program
 * must define `plan`. */
int program_plan(struct program *p, const struct arguments *input,
    const char *about, struct buf *text, struct err *err);

/* The limit of others that items of a set are after, in all: they are looked at
 * in each decision. */
enum { PROGRAM_AFTER_MAX = 100000 };

struct program_item {
	jv object;	/* has apiVersion, kind, metadata.name */
	unsigned marks; /* ITEM_... of itemmarks.h */
	jv immutable;	/* immutable(paths): a list of them, or invalid */
	jv after; /* after(...): a list of objects as `object`, or invalid */
};

struct program_items {
	struct program_item *items; /* owned, in the program's order */
	size_t count;
};
void program_items_release(struct program_items *items);

/* Exactly one array of objects, each identity (apiVersion's group, kind,
 * namespace, name) at most once. Everything else is an error. */
int program_desired(struct program *p, const struct arguments *input,
    const char *about, struct program_items *items, struct err *err);

struct program_finalize {
	struct program_items items;
	jv delete_; /* owned array of objects with apiVersion, kind, metadata */
	bool done;
};
int program_finalize(struct program *p, const struct arguments *input,
    const char *about, struct program_finalize *result, struct err *err);
void program_finalize_release(struct program_finalize *result);

/* *status becomes the status, an object, owned; jv_invalid() if the program
 * gives none (no output, null, or no such function). */
int program_status(struct program *p, const struct arguments *input,
    const char *about, jv *status, struct err *err);

enum program_when { PROGRAM_NEVER, PROGRAM_AFTER, PROGRAM_AT };
struct program_requeue {
	enum program_when when;
	uint64_t after_ms; /* PROGRAM_AFTER */
	int64_t at_us;	   /* PROGRAM_AT: Unix time */
};
int program_requeue(struct program *p, const struct arguments *input,
    const char *about, struct program_requeue *requeue, struct err *err);

/* *settled becomes the boolean that the function gives; true if the program has
 * no such function. */
int program_settled(struct program *p, const struct arguments *input,
    const char *about, bool *settled, struct err *err);

/* *events becomes an array of {type, reason, message}, each a string, type
 * Normal or Warning; owned. [] if the program has no such function. */
int program_events(struct program *p, const struct arguments *input,
    const char *about, jv *events, struct err *err);

/* input is the object; the result an owned array of {namespace, name}
 * (namespace "" if the expression gives none). */
int program_map(struct program *p, const struct arguments *input, jv *primaries,
    struct err *err);
/* *holds becomes the boolean that the expression gives for an object. */
int program_test(struct program *p, const struct arguments *input,
    const char *about, bool *holds, struct err *err);

#endif
