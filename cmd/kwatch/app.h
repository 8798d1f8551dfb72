/*
 * app: the state that all parts of kwatch share, owned by main.
 */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stdint.h>

#include "kube/discovery.h"
#include "kube/kube.h"
#include "kube/retry.h"
#include "process/loop.h"
#include "record/redact.h"
#include "report/reportfd.h"
#include "deltafifo.h"
#include "rooms.h"

/*
 * Why a watch, or a whole kind, does not work, in words. Each sentence is logged
 * once. A trouble that only a person can mend counts against readiness at once,
 * others when they have lasted for a while. Zeroed: none.
 */
enum trouble_kind {
	TROUBLE_PASSING, /* transient: counts after a while */
	TROUBLE_LASTING	 /* no rights, no such kind: counts at once */
};
enum { TROUBLE_PATIENCE_MS = 15000 };
struct trouble {
	char *text; /* owned; NULL: none */
	enum trouble_kind kind;
	uint64_t since_ms; /* the first of those without a pause */
};

struct kind;
struct watchspec;
struct watchspecs;

struct kwatch {
	struct loop *loop;
	struct kube *kube;
	struct discovery *discovery;
	struct deltafifo *deltafifo;
	struct redact *redact; /* NULL: nothing is hidden */
	bool redact_all;       /* redact all kinds; else Secrets, and the paths
			        * that watches.yaml names */
	const char *on_secret; /* logged with the first Secret that has data;
				* NULL: nothing, or it was */
	bool once;
	bool show_managed_fields;
	bool managers;

	struct watchspecs *specs; /* borrowed: of all kinds */
	struct kind **kinds;
	size_t kind_count;
	struct rooms rooms;
	size_t unsettled;    /* kinds neither complete nor given up */
	bool failed;	     /* with once: a kind was given up */
	struct trouble down; /* the server cannot be reached */
	struct timer down_timer;

	struct timer discover_timer;
	struct kube_backoff discover_backoff;
	bool discovered; /* discovery has answered once */
	char *said;	 /* the last complaint about discovery */

	unsigned open, opening; /* requests; those without an answer yet */
	uint64_t opened_ms;	/* when the last one was sent */

	uint64_t relists, reconnects;

	struct reportfd report;
	int exit_code;
	bool ending; /* the loop is told to stop; exit_code is right */
	bool ready;
	bool listed; /* garbage of lists is to be freed: see main.c */
};

/* Takes text; now_ms as of clock_ms(). Whether it says something new. */
bool app_trouble_set(
    struct trouble *t, enum trouble_kind kind, char *text, uint64_t now_ms);
/* Whether there was any. */
bool app_trouble_clear(struct trouble *t);
/* When it counts against readiness; 0: never, there is none. */
uint64_t app_trouble_due(const struct trouble *t);

/* The server no longer has a version that it sent: all kinds are listed
 * again. */
void app_went_back(struct kwatch *app, const char *message);
/* The server answered, or did not; each is logged once. After some time without
 * an answer kwatch is not ready. */
void app_reached(struct kwatch *app);
void app_unreachable(struct kwatch *app, const char *message);

/* Whether a request should wait until others are answered. */
bool app_is_crowded(const struct kwatch *app);

/* Asks which kinds the server has, now or a little later, and starts watches of
 * new ones. */
void app_discover(struct kwatch *app, uint64_t after_ms);
void app_add_kind(struct kwatch *app, struct watchspec *spec);
void app_settled(struct kwatch *app); /* a kind fewer to wait for */
/* Ends the loop; of several exit codes the first counts. */
void app_finish(struct kwatch *app, int exit_code);
void app_fatal(struct kwatch *app, const char *message);

void app_release(struct kwatch *app); /* timers and texts of this module */

#endif
