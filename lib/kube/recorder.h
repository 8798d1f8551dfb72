/*
 * recorder: records Events (core/v1) about objects; no other work ever waits
 * for them. As client-go's recorder does it (tools/record/event.go): one
 * request at a time from a queue of 1000 (full: the newest is lost), what
 * eventfilter.h lets through, up to 12 tries every 10 s while the server does
 * not answer; an Event that is refused is dropped.
 *
 * Why core/v1: see doc/monitoring.md.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "kube/kube.h"
#include "process/loop.h"

struct recorder;

/* Borrows both. Reports as the pod POD_NAME, or else as this host. */
struct recorder *recorder_new(struct loop *l, struct kube *k);
/* Call it before kube_free. Events that were not sent are lost. */
void recorder_free(struct recorder *r);

enum recorder_type { RECORDER_NORMAL, RECORDER_WARNING };

/* All borrowed for the call. The Event goes to the namespace of its object
 * ("default" if that has none). */
struct recorder_event {
	struct {
		struct span api_version, kind, namespace_, name;
		struct span uid, resource_version; /* may be empty */
	} about;
	struct span component; /* the reporter: the operator */
	enum recorder_type type;
	/* Invisible characters in them are escaped (quote.h). */
	struct span reason;  /* a word in CamelCase; cut at 128 bytes */
	struct span message; /* for people, nothing secret; cut at 1024 bytes */
};

void recorder_add(struct recorder *r, const struct recorder_event *e);
/* Nothing is waiting to be sent. */
bool recorder_idle(const struct recorder *r);
/* Number of Events that the server has accepted. */
uint64_t recorder_count(const struct recorder *r);
/* Number of lost Events: refused, too many, or no answer. */
uint64_t recorder_lost(const struct recorder *r);

#endif
