#include "cluster.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "control/controller.h"
#include "control/crd_control.h"
#include "control/gc.h"
#include "control/namespace.h"
#include "control/podend.h"
#include "crd/crd.h"
#include "kinds/kinds.h"
#include "read/watch_hub.h"
#include "reply/faults.h"
#include "reply/journal.h"
#include "reply/reply.h"
#include "request/request.h"
#include "rights/rights.h"
#include "router.h"
#include "store/store.h"
#include "text/random.h"
#include "type/resource.h"

/* Clients send resourceVersion "1" for "only if the object is not there": no
 * object may ever have that version. */
enum { FIRST_VERSION = 100 };

struct cluster {
	struct api *api;
	struct cluster_options o;
	struct namespaces *namespaces;
	struct podend *podend;
	struct controller *roles, *cidrs;
};

void
cluster_new(struct api *api, const struct cluster_options *o)
{
	api->cluster = mem_zalloc(sizeof(*api->cluster));
	api->cluster->api = api;
	api->cluster->o = *o;
}

int
cluster_begin(struct cluster *c, struct snapshot *s, struct err *err)
{
	struct api *a = c->api;
	int rc;

	a->store = store_new();
	store_set_version(a->store, FIRST_VERSION);
	a->registry = resource_registry_new(kinds_find);
	resource_bind(a->registry, a->store);
	a->crds = crds_new(a);
	if (c->o.controllers) {
		a->gc = gc_new(a);
		c->podend = podend_new(a);
		c->cidrs = controller_new(
		    a, "networking.k8s.io", "servicecidrs", servicecidr_look);
	}
	c->namespaces = namespaces_new(a, c->o.controllers);
	rc = s == NULL ? 0 : snapshot_put(s, a, err);
	journal_follow(a->journal, a->store);
	namespaces_start(c->namespaces);
	c->roles = controller_new(
	    a, "rbac.authorization.k8s.io", "clusterroles", aggregation_look);
	if (c->o.rights) {
		a->rights = rights_new(a);
		aggregation_make_defaults(a);
	}
	return rc;
}

/* Ends what cluster_begin made, and what was remembered of it. */
static void
end(struct cluster *c)
{
	struct api *a = c->api;

	watch_hub_free(a->watch_hub);
	a->watch_hub = NULL; /* freeing definitions ends watches */
	router_forget(a);
	rights_free(a->rights);
	controller_free(c->roles);
	controller_free(c->cidrs);
	podend_free(c->podend);
	namespaces_free(c->namespaces);
	gc_free(a->gc);
	crds_free(a->crds);
	resource_registry_free(a->registry);
	if (a->store != NULL)
		journal_follow(a->journal, NULL);
	store_free(a->store);
	a->rights = NULL;
	a->gc = NULL;
	a->crds = NULL;
	a->registry = NULL;
	a->store = NULL;
	*c = (struct cluster){.api = a, .o = c->o};
}

void
cluster_free(struct cluster *c)
{
	if (c == NULL)
		return;
	end(c);
	free(c);
}

/* ---- /kapi/load and /kapi/save ---- */

enum { LOAD_VERSION, LOAD_SEED, LOAD_NUMBER, LOAD_PARAMETERS };

struct load {
	bool given[LOAD_PARAMETERS];
	uint64_t number[LOAD_PARAMETERS];
};

static int
read_parameters(struct span query, struct load *l, struct err *err)
{
	static const char *const names[] = {"version", "seed", "number"};

	while (query.n > 0) {
		struct span value = span_cut(&query, '&');
		struct span name = span_cut(&value, '=');
		size_t i = 0;

		while (i < LOAD_PARAMETERS && !span_is(name, names[i]))
			i++;
		if (i == LOAD_PARAMETERS)
			return err_set(err, ERR_PERMANENT,
			    "unknown parameter \"%.*s\": want version, seed or "
			    "number",
			    SPAN_ARG(name));
		if (!span_number(value, INT64_MAX, &l->number[i]))
			return err_set(err, ERR_PERMANENT,
			    "parameter \"%s\": want a number from 0", names[i]);
		l->given[i] = true;
	}
	return 0;
}

/* The counter of versions may go back, as when etcd was restored, but not
 * behind an object. */
static int
set_version(struct store *s, uint64_t version, struct err *err)
{
	uint64_t highest = FIRST_VERSION;

	for (struct collection *c = NULL;
	     (c = store_next_collection(s, c)) != NULL;) {
		struct span after = SPAN_NONE;
		struct stored *o;

		while ((o = store_next(c, SPAN_NONE, after)) != NULL) {
			if (o->version > highest)
				highest = o->version;
			after = o->key;
		}
	}
	if (version < highest)
		return err_set(err, ERR_PERMANENT,
		    "parameter \"version\": an object has version %" PRIu64
		    " already",
		    highest);
	store_set_version(s, version);
	store_compact(s);
	return 0;
}

static int
load(struct cluster *c, struct request *r, struct err *err)
{
	struct api *a = c->api;
	struct load l = {.given = {false}};
	struct snapshot *s;
	int rc = read_parameters(r->http->query, &l, err);

	if (rc != 0 || (s = snapshot_parse(r->http->body, "load", err)) == NULL)
		return -1;
	httpd_close_others(r->exchange);
	faults_forget(a->faults);
	end(c);
	if (l.given[LOAD_SEED])
		random_seed(l.number[LOAD_SEED]);
	rc = cluster_begin(c, s, err);
	snapshot_free(s);
	if (rc == 0 && l.given[LOAD_VERSION])
		rc = set_version(a->store, l.number[LOAD_VERSION], err);
	if (rc != 0) {
		end(c);
		cluster_begin(c, NULL, err);
		return -1;
	}
	if (l.given[LOAD_NUMBER])
		a->requests = l.number[LOAD_NUMBER];
	return 0;
}

bool
cluster_serve(struct request *r)
{
	struct cluster *c = r->api->cluster;
	bool loads = span_is(r->http->path, "/kapi/load");
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;

	if (!loads && !span_is(r->http->path, "/kapi/save"))
		return false;
	if (!span_is(r->http->method, loads ? "POST" : "GET"))
		reply_aside_error(r, 405, "MethodNotAllowed",
		    "want POST on /kapi/load, GET on /kapi/save");
	else if (loads && load(c, r, &err) != 0)
		reply_aside_error(r, 422, "Invalid", err.message);
	else {
		if (!loads)
			snapshot_add(c->api, &b);
		reply_aside(r, buf_span(&b));
	}
	buf_release(&b);
	return true;
}
