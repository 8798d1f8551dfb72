/*
 * kubeopt: the options of all tools that talk to the API, and of kpipe, which
 * hands them on without a client of its own.
 */
#ifndef KUBEOPT_H
#define KUBEOPT_H

#include "process/opt.h"

/*
 * All may be NULL: not given.
 * --token-file takes the place of all that the kubeconfig says about the
 * user; --server and --certificate-authority of those fields of the cluster.
 */
struct kube_opts {
	const char *kubeconfig;
	const char *context;
	const char *namespace_; /* -n */
	const char *server;
	const char *token_file;
	const char *certificate_authority;
	const char *service_account_dir; /* for tests; NULL: the usual one */
};

/* A tool's table has OPT_ROWS(kube_opt_table); they fill this one struct. */
extern struct kube_opts kube_opts;
extern const struct opt kube_opt_table[];

/* The rows without --namespace, which means something else to kpipe. */
extern const struct opt kube_opt_server_table[];

#endif
