/*
 * kubefield: the fields of a kubeconfig file, with messages that say where.
 */
#ifndef KUBEFIELD_H
#define KUBEFIELD_H

#include <stdbool.h>

#include "base/err.h"
#include "conf/yaml.h"

/* A file among those that were merged; kubeconfig.c owns path and tree. */
struct kubeconfig_file {
	char *path;
	struct yaml *tree;
};

/* "FILE:LINE: what"; returns -1. */
int kubeconfig_fail(const struct kubeconfig_file *f, const struct yaml *at,
    struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Whether y is of this type: 1; or absent, or null: 0; or -1 with err. */
int kubeconfig_is(const struct kubeconfig_file *f, const struct yaml *y,
    enum yaml_type type, const char *key, struct err *err);
/* The members of a mapping (NULL is an empty one). If there is none, or an
 * empty text, *to stays; else it is replaced. */
int kubeconfig_text(const struct kubeconfig_file *f, const struct yaml *mapping,
    const char *key, char **to, struct err *err);
int kubeconfig_path(const struct kubeconfig_file *f, const struct yaml *mapping,
    const char *key, char **to, struct err *err);
int kubeconfig_bool(const struct kubeconfig_file *f, const struct yaml *mapping,
    const char *key, bool *to, struct err *err);
/* KEY names a file, KEY-data is base64 of its text; not both. */
int kubeconfig_pem(const struct kubeconfig_file *f, const struct yaml *mapping,
    const char *key, char **file, char **pem, struct err *err);
/* A path as seen from the file's directory, owned. */
char *kubeconfig_beside(const struct kubeconfig_file *f, const char *path);

#endif
