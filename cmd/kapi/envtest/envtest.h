/*
 * envtest: kapi under the names etcd, kube-apiserver and kubectl, as envtest of
 * controller-runtime starts them.
 */
#ifndef ENVTEST_H
#define ENVTEST_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * apiserver.c: kapi under the name kube-apiserver: its flags become options of
 * kapi.
 *
 * kapi is then a kube-apiserver alone, without kube-controller-manager, as
 * envtest of controller-runtime starts it: nothing collects garbage or empties
 * namespaces. Flags that kube-apiserver does not have are refused. Of the
 * others most have no effect, and each of those is warned about, except those
 * that envtest always gives.
 */
struct apiserver {
	char **argv; /* kapi's arguments, then NULL; owned */
	int argc;
	bool done; /* --help or --version was printed: nothing is to run */
};

/* Makes the pair of --cert-dir if it is not there. -1 with err: it names the
 * flag. Release it in both cases. */
int apiserver_take(struct apiserver *s, int argc, char **argv, struct err *err);
void apiserver_release(struct apiserver *s);

/*
 * assets.c: the folder that KUBEBUILDER_ASSETS names for envtest of
 * controller-runtime: links to this program under the names etcd,
 * kube-apiserver and kubectl.
 *
 * assets_make appends the folder's absolute name; it is made, or repaired, if need be, and
 * two at once do the same. It is in XDG_CACHE_HOME, ~/.cache or
 * XDG_RUNTIME_DIR, and belongs to this version at this place. -1 with err.
 */
int assets_make(struct buf *folder, struct err *err);

/* For the name kubectl: becomes the next one of PATH. Returns an exit code if
 * there is none. */
int assets_kubectl(char **argv);

/*
 * etcd.c: kapi under the name etcd: a process that holds nothing and says that
 * it is well, for envtest of controller-runtime, which starts one before
 * kube-apiserver and waits for its /health. kapi under that name holds the
 * objects itself and asks no etcd.
 *
 * Serves /health and /version at each of --listen-client-urls, all other flags
 * are ignored. Ends by SIGTERM or SIGINT; returns the exit code.
 */
int etcd_run(int argc, char **argv);

#endif
