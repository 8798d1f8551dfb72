#include "kubeconfig/kubeopt.h"

#include <stddef.h>

struct kube_opts kube_opts;

const struct opt kube_opt_server_table[] = {
    {0, "kubeconfig", "FILE", OPT_STRING, &kube_opts.kubeconfig, NULL,
	"the kubeconfig file, instead of $KUBECONFIG"},
    {0, "context", "NAME", OPT_STRING, &kube_opts.context, NULL,
	"the context of the kubeconfig to use"},
    {0, "server", "URL", OPT_STRING, &kube_opts.server, NULL,
	"the address of the API server"},
    {0, "token-file", "FILE", OPT_STRING, &kube_opts.token_file, NULL,
	"a file with a bearer token, read again as it changes"},
    {0, "certificate-authority", "FILE", OPT_STRING,
	&kube_opts.certificate_authority, NULL,
	"the certificates to check the server's with"},
    OPT_END};

const struct opt kube_opt_table[] = {
    {'n', "namespace", "NAMESPACE", OPT_STRING, &kube_opts.namespace_, NULL,
	"the namespace of this request"},
    OPT_ROWS(kube_opt_server_table), OPT_END};
