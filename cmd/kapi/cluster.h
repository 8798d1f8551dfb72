/*
 * cluster: what one cluster is made of: the store and its objects, the kinds
 * that are served, the controllers, the rights. It is made at the start and
 * again by POST /kapi/load, as a whole, so that nothing of the old one is left.
 */
#ifndef CLUSTER_H
#define CLUSTER_H

#include <stdbool.h>

#include "base/err.h"
#include "control/snapshot.h"
#include "type/api.h"

struct cluster_options {
	bool controllers, rights;
};

/* api->cluster, empty. Borrows api. */
void cluster_new(struct api *api, const struct cluster_options *o);
/* Makes all of it, with these objects (NULL: none). -1: see snapshot_put; then
 * it is made without the rest of them. */
int cluster_begin(struct cluster *c, struct snapshot *s, struct err *err);
void cluster_free(struct cluster *c); /* when the server is gone */

/*
 * POST /kapi/load replaces all objects by the lines of the body and closes all
 * other connections; ?version=N sets the version counter, seed=N the generator
 * of uids and names, number=N the number of the last request. GET /kapi/save
 * answers with all objects as lines. True: r was answered. Neither is in the
 * journal.
 */
bool cluster_serve(struct request *r);

#endif
