#include "kubeconfig/kubefield.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "value/base64.h"

int
kubeconfig_fail(const struct kubeconfig_file *f, const struct yaml *at,
    struct err *err, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(
	    err, ERR_PERMANENT, "%s:%d: %s", f->path, at->line, what);
}

int
kubeconfig_is(const struct kubeconfig_file *f, const struct yaml *y,
    enum yaml_type type, const char *key, struct err *err)
{
	if (y == NULL || yaml_is_null(y))
		return 0;
	if (y->type == type)
		return 1;
	return kubeconfig_fail(f, y, err, "%s must be a %s", key,
	    type == YAML_SEQUENCE      ? "list"
		: type == YAML_MAPPING ? "mapping"
				       : "text");
}

int
kubeconfig_text(const struct kubeconfig_file *f, const struct yaml *mapping,
    const char *key, char **to, struct err *err)
{
	struct yaml *y = yaml_get(mapping, key);
	int there = kubeconfig_is(f, y, YAML_SCALAR, key, err);

	if (there <= 0 || *y->text == '\0')
		return there < 0 ? -1 : 0;
	free(*to);
	*to = mem_strdup(y->text);
	return 0;
}

int
kubeconfig_bool(const struct kubeconfig_file *f, const struct yaml *mapping,
    const char *key, bool *to, struct err *err)
{
	struct yaml *y = yaml_get(mapping, key);

	if (y == NULL || yaml_is_null(y) || yaml_bool(y, to))
		return 0;
	return kubeconfig_fail(f, y, err, "%s must be true or false", key);
}

char *
kubeconfig_beside(const struct kubeconfig_file *f, const char *path)
{
	const char *slash = strrchr(f->path, '/');
	struct buf b = BUF_INIT;

	if (*path != '/' && slash != NULL)
		buf_add(&b, f->path, (size_t)(slash - f->path) + 1);
	buf_adds(&b, path);
	return buf_take(&b);
}

int
kubeconfig_path(const struct kubeconfig_file *f, const struct yaml *mapping,
    const char *key, char **to, struct err *err)
{
	char *path = NULL;

	if (kubeconfig_text(f, mapping, key, &path, err) != 0)
		return -1;
	if (path == NULL)
		return 0;
	free(*to);
	*to = kubeconfig_beside(f, path);
	free(path);
	return 0;
}

int
kubeconfig_pem(const struct kubeconfig_file *f, const struct yaml *mapping,
    const char *key, char **file, char **pem, struct err *err)
{
	char data_key[64];
	char *data = NULL;
	struct buf b = BUF_INIT;
	int rc;

	snprintf(data_key, sizeof(data_key), "%s-data", key);
	if (kubeconfig_path(f, mapping, key, file, err) != 0 ||
	    kubeconfig_text(f, mapping, data_key, &data, err) != 0)
		return -1;
	if (data == NULL)
		return 0;
	if (*file != NULL) {
		free(data);
		return kubeconfig_fail(f, yaml_get(mapping, key), err,
		    "%s and %s are both given", key, data_key);
	}
	rc = base64_decode(span_str(data), BASE64_BLANKS, &b, NULL);
	free(data);
	if (rc != 0) {
		buf_release(&b);
		return kubeconfig_fail(f, yaml_get(mapping, data_key), err,
		    "%s is not base64", data_key);
	}
	*pem = buf_take(&b);
	return 0;
}
