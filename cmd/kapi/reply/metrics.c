#include "reply/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "process/file.h"
#include "reply/reply.h"
#include "request/parameters.h"
#include "store/store.h"

/* Requests with the same labels. */
struct counted {
	uint64_t times;
	size_t n;
	char labels[]; /* the text between { and } */
};

struct metrics {
	struct map counted; /* by labels */
	struct buf labels;  /* labels of the present request */
};

void
metrics_free(struct metrics *m)
{
	struct counted *c;

	if (m == NULL)
		return;
	for (size_t i = 0; (c = map_next(&m->counted, &i)) != NULL;)
		free(c);
	map_release(&m->counted);
	buf_release(&m->labels);
	free(m);
}

/* The verb in metrics: GET and LIST, where rules have get and list; APPLY. */
static const char *
verb(const struct request *r)
{
	static const char *const names[] = {"GET", "LIST", "WATCH", "POST",
	    "PUT", "PATCH", "DELETE", "DELETECOLLECTION", ""};

	if (r->verb == REQUEST_PATCH &&
	    span_starts(httpd_header(r->http, "content-type"),
		"application/apply-patch"))
		return "APPLY";
	return names[r->verb];
}

/* A resource that is not in the registry was never served: its name comes from
 * the client, and must not become a label. */
static bool
is_known(const struct request *r)
{
	if (r->resource == NULL)
		return false;
	for (size_t i = 0; i < r->resource->subresource_count; i++)
		if (span_eq(r->resource->subresources[i].name, r->subresource))
			return true;
	return r->subresource.n == 0;
}

static void
add_label(struct buf *b, const char *name, struct span value)
{
	if (b->len > 0)
		buf_addc(b, ',');
	buf_adds(b, name);
	buf_adds(b, "=\"");
	buf_addspan(b, value);
	buf_addc(b, '"');
}

static void
write_labels(const struct request *r, int code, struct buf *b)
{
	bool known = is_known(r);
	struct span none = span_str("");
	char text[16];

	snprintf(text, sizeof text, "%d", code);
	buf_reset(b);
	add_label(b, "code", span_str(text));
	add_label(b, "component", span_str("apiserver"));
	add_label(b, "dry_run", span_str(r->dry_run ? "All" : ""));
	add_label(b, "group", known ? r->resource->group : none);
	add_label(b, "resource", known ? r->resource->plural : none);
	add_label(b, "scope",
	    span_str(!known		  ? ""
		    : r->name.n > 0	  ? "resource"
		    : r->namespace_.n > 0 ? "namespace"
					  : "cluster"));
	add_label(b, "subresource", known ? r->subresource : none);
	add_label(b, "verb",
	    span_str(known	     ? verb(r)
		    : r->on_resource ? ""
				     : "GET"));
	add_label(b, "version", known ? r->resource->version : none);
}

void
metrics_count(const struct request *r, int code)
{
	struct api *api = r->api;
	struct metrics *m = api->metrics;
	struct counted *c;
	struct span labels;

	if (m == NULL)
		m = api->metrics = mem_zalloc(sizeof *m);
	write_labels(r, code, &m->labels);
	labels = buf_span(&m->labels);
	c = map_get(&m->counted, labels);
	if (c == NULL) {
		c = mem_zalloc(sizeof *c + labels.n);
		memcpy(c->labels, labels.p, labels.n);
		c->n = labels.n;
		map_put(&m->counted, span_make(c->labels, c->n), c);
	}
	c->times++;
}

static void
describe(struct buf *b, const char *name, const char *type, const char *help)
{
	buf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void
add_requests(struct buf *b, const struct metrics *m)
{
	struct counted **all = (struct counted **)map_sorted(&m->counted);

	describe(b, "apiserver_request_total", "counter",
	    "Requests answered, by verb, resource and HTTP code.");
	for (size_t i = 0; i < m->counted.count; i++)
		buf_addf(b, "apiserver_request_total{%.*s} %" PRIu64 "\n",
		    (int)all[i]->n, all[i]->labels, all[i]->times);
	free(all);
}

static void
add_objects(struct buf *b, const struct store *s)
{
	describe(b, "apiserver_resource_objects", "gauge",
	    "Objects that are stored, by resource.");
	for (struct collection *c = NULL;
	     (c = store_next_collection(s, c)) != NULL;)
		buf_addf(b,
		    "apiserver_resource_objects{group=\"%.*s\","
		    "resource=\"%.*s\"} %zu\n",
		    SPAN_ARG(store_collection_group(c)),
		    SPAN_ARG(store_collection_plural(c)), store_count(c));
}

/* 0 if /proc cannot be read. */
static uint64_t
resident_pages(void)
{
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;
	struct span rest;
	uint64_t n = 0;

	if (file_read("/proc/self/statm", 1, &b, &err) == 0) {
		rest = buf_span(&b);
		span_cut(&rest, ' ');
		if (!span_number(span_cut(&rest, ' '), UINT64_MAX, &n))
			n = 0;
	}
	buf_release(&b);
	return n;
}

static void
add_process(struct buf *b)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	describe(b, "process_cpu_seconds_total", "counter",
	    "Processor time of this process, in seconds.");
	buf_addf(b, "process_cpu_seconds_total %.3f\n",
	    (double)t.tv_sec + (double)t.tv_nsec / 1e9);
	describe(b, "process_resident_memory_bytes", "gauge",
	    "Memory of this process that is resident.");
	buf_addf(b, "process_resident_memory_bytes %" PRIu64 "\n",
	    resident_pages() * (uint64_t)sysconf(_SC_PAGESIZE));
}

bool
metrics_serve(struct request *r)
{
	static const char type[] = "text/plain; version=0.0.4; charset=utf-8; "
				   "escaping=underscores";
	struct buf b = BUF_INIT;

	if (!span_is(r->path, "/metrics"))
		return false;
	if (r->api->metrics == NULL)
		r->api->metrics = mem_zalloc(sizeof *r->api->metrics);
	add_requests(&b, r->api->metrics);
	add_objects(&b, r->api->store);
	add_process(&b);
	reply_typed(r, 200, type, buf_span(&b));
	buf_release(&b);
	return true;
}
