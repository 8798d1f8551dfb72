#include "path.h"

#include "kube/kubepath.h"
#include "kube/resources.h"
#include "process/clock.h"

static void
add_collection(struct buf *path, const struct kind *k, const char *ns)
{
	discovery_path(path, k->resource, span_str(ns), SPAN_NONE, NULL);
}

static void
add_selectors(struct buf *path, const struct want *want)
{
	if (want->selector != NULL && *want->selector != '\0')
		kube_query_add(path, "labelSelector", span_str(want->selector));
	if (want->field_selector != NULL)
		kube_query_add(
		    path, "fieldSelector", span_str(want->field_selector));
}

void
path_watch(struct buf *path, const struct kind *k, const char *ns,
    struct span version, long seconds)
{
	struct buf n = BUF_INIT;

	add_collection(path, k, ns);
	kube_query_add(path, "watch", span_str("1"));
	kube_query_add(path, "allowWatchBookmarks", span_str("true"));
	if (version.p != NULL) {
		kube_query_add(path, "resourceVersion", version);
	} else {
		kube_query_add(path, "sendInitialEvents", span_str("true"));
		kube_query_add(
		    path, "resourceVersionMatch", span_str("NotOlderThan"));
	}
	buf_addf(&n, "%ld", seconds);
	kube_query_add(path, "timeoutSeconds", buf_span(&n));
	add_selectors(path, k->want);
	buf_release(&n);
}

void
path_list(struct buf *path, const struct kind *k, const char *ns,
    const struct pages *l)
{
	add_collection(path, k, ns);
	pages_query(l, path);
	add_selectors(path, k->want);
}

void
path_not_older(
    struct buf *path, const struct kind *k, const char *ns, struct span version)
{
	add_collection(path, k, ns);
	kube_query_add(path, "limit", span_str("1"));
	kube_query_add(path, "resourceVersion", version);
	kube_query_add(path, "resourceVersionMatch", span_str("NotOlderThan"));
	add_selectors(path, k->want);
}

const char *
path_accept_watch(const struct kind *k)
{
	return k->want->metadata_only
	    ? "application/json;as=PartialObjectMetadata;"
	      "g=meta.k8s.io;v=v1,application/json"
	    : NULL;
}

const char *
path_accept_list(const struct kind *k)
{
	return k->want->metadata_only
	    ? "application/json;as=PartialObjectMetadataList;"
	      "g=meta.k8s.io;v=v1,application/json"
	    : NULL;
}

long
path_watch_seconds(void)
{
	return 300 + (long)(clock_jitter() % 301);
}
