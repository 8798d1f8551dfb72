/*
 * etcd: kapi under the name etcd: a process that holds nothing and says that it
 * is well, for envtest of controller-runtime, which starts one before
 * kube-apiserver and waits for its /health. kapi under that name holds the
 * objects itself and asks no etcd.
 */
#ifndef ETCD_H
#define ETCD_H

/* Serves /health and /version at each of --listen-client-urls, all other flags
 * are ignored. Ends by SIGTERM or SIGINT; returns the exit code. */
int etcd_run(int argc, char **argv);

#endif
