/*
 * kubeuser: the user of a kubeconfig: credentials, impersonation, plugin. The
 * part of kubeconfig.c that knows a user's fields.
 */
#ifndef KUBEUSER_H
#define KUBEUSER_H

#include "base/err.h"
#include "conf/yaml.h"
#include "kubeconfig/kubeconfig.h"
#include "kubeconfig/kubefield.h"

/* Fills the user's part of c. */
int kubeuser_read(struct kubeconfig *c, const struct kubeconfig_file *f,
    const struct yaml *user, struct err *err);
/* Forgets all credentials of c. */
void kubeuser_forget(struct kubeconfig *c);
void kubeuser_exec_free(struct kubeconfig_exec *e);

#endif
