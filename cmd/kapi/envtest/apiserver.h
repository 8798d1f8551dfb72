/*
 * apiserver: kapi under the name kube-apiserver: its flags become options of
 * kapi.
 *
 * kapi is then a kube-apiserver alone, without kube-controller-manager, as
 * envtest of controller-runtime starts it: nothing collects garbage or empties
 * namespaces. Flags that kube-apiserver does not have are refused. Of the
 * others most have no effect, and each of those is warned about, except those
 * that envtest always gives.
 */
#ifndef APISERVER_H
#define APISERVER_H

#include <stdbool.h>

#include "base/err.h"

struct apiserver {
	char **argv; /* kapi's arguments, then NULL; owned */
	int argc;
	bool done; /* --help or --version was printed: nothing is to run */
};

/* Makes the pair of --cert-dir if it is not there. -1 with err: it names the
 * flag. Release it in both cases. */
int apiserver_take(struct apiserver *s, int argc, char **argv, struct err *err);
void apiserver_release(struct apiserver *s);

#endif
