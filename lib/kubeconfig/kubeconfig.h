/*
 * kubeconfig: the server and the credential to use: from the merged kubeconfig
 * files and one context, or from the service account of the pod.
 *
 * 	--kubeconfig FILE, else $KUBECONFIG (a list, missing ones skipped), else
 * 	~/.kube/config; if all that says nothing, the service account.
 *
 * The first file that names a cluster, user or context wins whole; so does the
 * first current-context. Relative paths are relative to their file. Facts:
 * client-go's clientcmd.
 */
#ifndef KUBECONFIG_H
#define KUBECONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/textlist.h"
#include "kubeconfig/kubeopt.h"

enum kubeconfig_stdin {
	KUBECONFIG_STDIN_NEVER,
	KUBECONFIG_STDIN_IF_AVAILABLE,
	KUBECONFIG_STDIN_ALWAYS
};

/* A command that prints credentials. */
struct kubeconfig_exec {
	char *command;
	struct textlist args;
	struct textlist env; /* NAME=value */
	char *api_version;   /* client.authentication.k8s.io/v1 or v1beta1 */
	char *install_hint;
	char *config; /* JSON of the cluster's extension; NULL: none */
	enum kubeconfig_stdin interactive;
	bool provide_cluster_info;
};

/* All owned; NULL where nothing was said. */
struct kubeconfig {
	char *origin; /* for messages: the file of the context, or the pod */
	char *context;
	char *namespace_; /* never NULL */

	char *server; /* no slash at the end; may have a path */
	char *ca_file, *ca_pem;
	char *tls_server_name;
	char *proxy_url;
	bool insecure;
	bool disable_compression;

	char *user;
	char *cert_file, *cert_pem;
	char *key_file, *key_pem;
	char *token, *token_file;
	char *username, *password;
	struct textlist impersonate; /* finished headers */
	struct kubeconfig_exec *exec;
};

/* NULL with err: permanent, names file and field. Files that it names
 * (certificates, tokens) are not read yet. */
struct kubeconfig *kubeconfig_load(const struct kube_opts *o, struct err *err);
void kubeconfig_free(struct kubeconfig *c);

/* The name of the context that kubeconfig_load would use; the caller frees it.
 * NULL: none, or what kubeconfig_load will say. */
char *kubeconfig_current(const struct kube_opts *o);

#endif
