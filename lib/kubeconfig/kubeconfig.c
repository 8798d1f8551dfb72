#include "kubeconfig/kubeconfig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "kubeconfig/kubefield.h"
#include "kubeconfig/kubeuser.h"

static const char account_dir[] =
    "/var/run/secrets/kubernetes.io/serviceaccount";

struct files {
	struct kubeconfig_file *items;
	size_t count;
};

void
kubeconfig_free(struct kubeconfig *c)
{
	char *texts[] = {c->origin, c->context, c->namespace_, c->server,
	    c->ca_file, c->ca_pem, c->tls_server_name, c->proxy_url, c->user,
	    c->cert_file, c->cert_pem, c->key_file, c->key_pem, c->token,
	    c->token_file, c->username, c->password};

	for (size_t i = 0; i < COUNT(texts); i++)
		mem_wipe(texts[i]); /* some are secrets */
	textlist_release(&c->impersonate);
	kubeuser_exec_free(c->exec);
	free(c);
}

/* ---- files ---- */

static int
add_file(struct files *files, const char *path, struct err *err)
{
	struct yaml *tree = yaml_load(path, err);

	if (tree == NULL)
		return -1;
	if (tree->type != YAML_MAPPING && !yaml_is_null(tree)) {
		err_set(err, ERR_PERMANENT,
		    "%s:%d: not a kubeconfig: a mapping is expected", path,
		    tree->line);
		yaml_tree_free(tree);
		return -1;
	}
	files->items =
	    mem_grow(files->items, files->count, sizeof(*files->items));
	files->items[files->count++] =
	    (struct kubeconfig_file){mem_strdup(path), tree};
	return 0;
}

static int
add_list(struct files *files, const char *list, struct err *err)
{
	int rc = 0;

	while (rc == 0 && *list != '\0') {
		size_t n = strcspn(list, ":");
		char *path = mem_dup(list, n);
		bool known = false;

		for (size_t i = 0; i < files->count; i++)
			known =
			    known || strcmp(files->items[i].path, path) == 0;
		if (n > 0 && !known && access(path, F_OK) == 0)
			rc = add_file(files, path, err);
		free(path);
		list += n + (list[n] == ':');
	}
	return rc;
}

static int
read_files(struct files *files, const struct kube_opts *o, struct err *err)
{
	const char *list = getenv("KUBECONFIG"), *home = getenv("HOME");
	struct buf path = BUF_INIT;
	int rc = 0;

	if (o->kubeconfig != NULL)
		return add_file(files, o->kubeconfig, err);
	if (list != NULL && *list != '\0')
		return add_list(files, list, err);
	if (home == NULL || *home == '\0')
		return 0;
	buf_addf(&path, "%s/.kube/config", home);
	if (access(buf_str(&path), F_OK) == 0)
		rc = add_file(files, buf_str(&path), err);
	buf_release(&path);
	return rc;
}

static void
release_files(struct files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->items[i].path);
		yaml_tree_free(files->items[i].tree);
	}
	free(files->items);
}

/* ---- lookups over all files ---- */

static bool
is_named(const struct yaml *entry, const char *name)
{
	struct yaml *n = yaml_get(entry, "name");

	return n != NULL && n->type == YAML_SCALAR &&
	    strcmp(n->text, name) == 0;
}

/* A name twice in one file is an error, as for kubectl; between files the first
 * one counts. */
static int
check_names(const struct kubeconfig_file *f, const char *list,
    const struct yaml *y, struct err *err)
{
	for (size_t i = 1; i < y->count; i++) {
		struct yaml *n = yaml_get(y->values[i], "name");

		if (n == NULL || n->type != YAML_SCALAR)
			continue;
		for (size_t k = 0; k < i; k++)
			if (is_named(y->values[k], n->text))
				return kubeconfig_fail(f, n, err,
				    "duplicate name \"%s\" in %s", n->text,
				    list);
	}
	return 0;
}

/* The entry of a list like clusters: [{name, cluster: {...}}]; the member. */
static int
find_entry(const struct files *files, const char *list, const char *member,
    const char *name, const struct kubeconfig_file **f, struct yaml **found,
    struct err *err)
{
	for (size_t i = 0; i < files->count; i++) {
		struct yaml *y = yaml_get(files->items[i].tree, list);
		int there = kubeconfig_is(
		    &files->items[i], y, YAML_SEQUENCE, list, err);

		if (there == 0)
			continue;
		*f = &files->items[i];
		if (there < 0 || check_names(*f, list, y, err) != 0)
			return -1;
		for (size_t k = 0; k < y->count; k++) {
			if (!is_named(y->values[k], name))
				continue;
			*found = yaml_get(y->values[k], member);
			return kubeconfig_is(
				   *f, *found, YAML_MAPPING, member, err) < 0
			    ? -1
			    : 1;
		}
	}
	return 0;
}

static int
current_context(const struct files *files, const struct kube_opts *o,
    char **name, struct err *err)
{
	if (o->context != NULL) {
		*name = mem_strdup(o->context);
		return 0;
	}
	for (size_t i = 0; i < files->count && *name == NULL; i++)
		if (kubeconfig_text(&files->items[i], files->items[i].tree,
			"current-context", name, err) != 0)
			return -1;
	return 0;
}

/* ---- parts ---- */

/* Checks like client-go's parseProxyURL (tools/clientcmd/validation.go). */
static int
read_proxy(struct kubeconfig *c, const struct kubeconfig_file *f,
    const struct yaml *y, struct err *err)
{
	static const char *const schemes[] = {
	    "http://", "https://", "socks5://"};
	size_t n = 0;

	if (kubeconfig_text(f, y, "proxy-url", &c->proxy_url, err) != 0)
		return -1;
	if (c->proxy_url == NULL)
		return 0;
	for (size_t i = 0; i < COUNT(schemes) && n == 0; i++)
		if (strncasecmp(c->proxy_url, schemes[i], strlen(schemes[i])) ==
		    0)
			n = strlen(schemes[i]);
	if (n > 0 && c->proxy_url[n] != '\0' && c->proxy_url[n] != '/')
		return 0;
	return kubeconfig_fail(f, yaml_get(y, "proxy-url"), err,
	    "proxy-url must be http://HOST:PORT, https://HOST:PORT or "
	    "socks5://HOST:PORT");
}

static int
read_cluster(struct kubeconfig *c, const struct kubeconfig_file *f,
    const struct yaml *y, struct err *err)
{
	if (kubeconfig_text(f, y, "server", &c->server, err) != 0 ||
	    kubeconfig_pem(f, y, "certificate-authority", &c->ca_file,
		&c->ca_pem, err) != 0 ||
	    kubeconfig_text(
		f, y, "tls-server-name", &c->tls_server_name, err) != 0 ||
	    read_proxy(c, f, y, err) != 0 ||
	    kubeconfig_bool(
		f, y, "insecure-skip-tls-verify", &c->insecure, err) != 0 ||
	    kubeconfig_bool(
		f, y, "disable-compression", &c->disable_compression, err) != 0)
		return -1;
	if (c->insecure && (c->ca_file != NULL || c->ca_pem != NULL))
		return kubeconfig_fail(f, y, err,
		    "insecure-skip-tls-verify and certificate-authority are "
		    "both given");
	return 0;
}

/* The cluster's configuration for the exec plugin of its user. */
static void
read_exec_config(struct kubeconfig *c, const struct yaml *cluster)
{
	static const char name[] = "client.authentication.k8s.io/exec";
	struct yaml *list = yaml_get(cluster, "extensions");
	struct buf b = BUF_INIT;

	if (c->exec == NULL || list == NULL || list->type != YAML_SEQUENCE)
		return;
	for (size_t i = 0; i < list->count; i++) {
		struct yaml *n = yaml_get(list->values[i], "name");
		struct yaml *e = yaml_get(list->values[i], "extension");

		if (n != NULL && n->type == YAML_SCALAR && e != NULL &&
		    strcmp(n->text, name) == 0) {
			yaml_to_json(e, &b);
			free(c->exec->config);
			c->exec->config = buf_take(&b);
		}
	}
}

static int
missing(const struct kubeconfig_file *f, const struct yaml *context,
    const char *what, const char *key, struct err *err)
{
	struct yaml *y = yaml_get(context, key);

	return kubeconfig_fail(
	    f, y, err, "there is no %s named \"%s\"", what, y->text);
}

static int
read_context(struct kubeconfig *c, const struct files *files,
    const struct kubeconfig_file *f, const struct yaml *context,
    struct err *err)
{
	const struct kubeconfig_file *where = f;
	struct yaml *cluster = NULL, *user = NULL;
	char *name = NULL;
	int found;

	if (kubeconfig_text(f, context, "namespace", &c->namespace_, err) !=
		0 ||
	    kubeconfig_text(f, context, "user", &c->user, err) != 0 ||
	    kubeconfig_text(f, context, "cluster", &name, err) != 0)
		return -1;
	if (c->user != NULL) {
		found = find_entry(
		    files, "users", "user", c->user, &where, &user, err);
		if (found == 0)
			missing(f, context, "user", "user", err);
		if (found != 1 || kubeuser_read(c, where, user, err) != 0) {
			free(name);
			return -1;
		}
	}
	if (name == NULL)
		return 0;
	found = find_entry(
	    files, "clusters", "cluster", name, &where, &cluster, err);
	free(name);
	if (found == 0)
		missing(f, context, "cluster", "cluster", err);
	if (found != 1 || read_cluster(c, where, cluster, err) != 0)
		return -1;
	read_exec_config(c, cluster);
	return 0;
}

static int
read_kubeconfig(struct kubeconfig *c, const struct files *files,
    const struct kube_opts *o, struct err *err)
{
	const struct kubeconfig_file *f = NULL;
	struct yaml *context = NULL;
	int found;

	if (files->count > 0)
		c->origin = mem_strdup(files->items[0].path);
	if (current_context(files, o, &c->context, err) != 0)
		return -1;
	if (c->context == NULL)
		return 0;
	found = find_entry(
	    files, "contexts", "context", c->context, &f, &context, err);
	if (found < 0)
		return -1;
	if (found == 0)
		return err_set(err, ERR_PERMANENT,
		    "%s: there is no context named \"%s\"",
		    c->origin != NULL ? c->origin : "kubeconfig", c->context);
	free(c->origin);
	c->origin = mem_strdup(f->path);
	return read_context(c, files, f, context, err);
}

/* ---- the service account ---- */

static char *
in_dir(const char *dir, const char *file)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s/%s", dir, file);
	return buf_take(&b);
}

static char *
pod_namespace(const char *dir)
{
	const char *env = getenv("POD_NAMESPACE");
	char text[256] = "";
	char *path;
	FILE *f;

	if (env != NULL && *env != '\0')
		return mem_strdup(env);
	path = in_dir(dir, "namespace");
	f = fopen(path, "re");
	free(path);
	if (f == NULL)
		return NULL;
	if (fgets(text, sizeof(text), f) == NULL)
		*text = '\0';
	fclose(f);
	text[strcspn(text, " \t\r\n")] = '\0';
	return *text != '\0' ? mem_strdup(text) : NULL;
}

/* 1: there is none, and nothing was changed. */
static int
read_account(struct kubeconfig *c, const struct kube_opts *o)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");
	const char *dir = o->service_account_dir;
	struct buf b = BUF_INIT;
	bool v6;

	if (host == NULL || *host == '\0' || port == NULL || *port == '\0')
		return 1;
	if (dir == NULL)
		dir = account_dir;
	v6 = strchr(host, ':') != NULL;
	buf_addf(
	    &b, "https://%s%s%s:%s", v6 ? "[" : "", host, v6 ? "]" : "", port);
	c->server = buf_take(&b);
	free(c->origin);
	c->origin = mem_strdup("the service account");
	c->user = mem_strdup("the service account");
	c->token_file = in_dir(dir, "token");
	c->ca_file = in_dir(dir, "ca.crt");
	c->namespace_ = pod_namespace(dir);
	return 0;
}

/* ---- all together ---- */

static void
replace(char **to, const char *text)
{
	if (text == NULL)
		return;
	free(*to);
	*to = mem_strdup(text);
}

static void
apply_options(struct kubeconfig *c, const struct kube_opts *o)
{
	replace(&c->namespace_, o->namespace_);
	replace(&c->server, o->server);
	if (o->certificate_authority != NULL) {
		replace(&c->ca_file, o->certificate_authority);
		free(c->ca_pem);
		c->ca_pem = NULL;
		c->insecure = false;
	}
	if (o->token_file != NULL) {
		kubeuser_forget(c);
		c->token_file = mem_strdup(o->token_file);
	}
	if (c->namespace_ == NULL)
		c->namespace_ = mem_strdup("default");
}

/* "https://user:password@host": the address appears in messages. */
static bool
holds_password(const char *url)
{
	const char *host = strstr(url, "://");

	host = host != NULL ? host + 3 : url;
	return memchr(host, '@', strcspn(host, "/?#")) != NULL;
}

static int
nothing_known(struct err *err)
{
	const char *env = getenv("KUBECONFIG");

	if (env != NULL && *env != '\0')
		return err_set(err, ERR_PERMANENT,
		    "no API server is known: $KUBECONFIG is %s, which does not "
		    "exist, and this is not a pod (KUBERNETES_SERVICE_HOST is "
		    "not set)",
		    env);
	return err_set(err, ERR_PERMANENT,
	    "no API server is known: no --kubeconfig, no $KUBECONFIG, "
	    "no ~/.kube/config, and this is not a pod "
	    "(KUBERNETES_SERVICE_HOST is not set)");
}

static int
check_server(struct kubeconfig *c, const struct kube_opts *o, struct err *err)
{
	const char *origin = c->origin == NULL || o->server != NULL
	    ? "option --server"
	    : c->origin;
	size_t n;

	if (c->server == NULL && c->context == NULL && c->origin != NULL)
		return err_set(err, ERR_PERMANENT,
		    "%s: there is no current-context, and --context names none",
		    origin);
	if (c->server == NULL && c->context != NULL)
		return err_set(err, ERR_PERMANENT,
		    "%s: the context \"%s\" has no cluster with a server",
		    origin, c->context);
	if (c->server == NULL)
		return nothing_known(err);
	if (holds_password(c->server))
		return err_set(err, ERR_PERMANENT,
		    "%s: the server's address must hold no user and password",
		    origin);
	if (strncmp(c->server, "https://", 8) != 0 &&
	    strncmp(c->server, "http://", 7) != 0)
		return err_set(err, ERR_PERMANENT,
		    "%s: the server \"%s\" must start with https:// or http://",
		    origin, c->server);
	for (n = strlen(c->server); n > 0 && c->server[n - 1] == '/'; n--)
		c->server[n - 1] = '\0';
	return 0;
}

char *
kubeconfig_current(const struct kube_opts *o)
{
	struct files files = {0};
	struct err err = ERR_INIT;
	char *name = NULL;

	if (read_files(&files, o, &err) == 0)
		current_context(&files, o, &name, &err);
	release_files(&files);
	return name;
}

struct kubeconfig *
kubeconfig_load(const struct kube_opts *o, struct err *err)
{
	struct kubeconfig *c = mem_zalloc(sizeof(*c));
	struct files files = {0};
	int rc;

	textlist_init(&c->impersonate);
	rc = read_files(&files, o, err);
	if (rc == 0)
		rc = read_kubeconfig(c, &files, o, err);
	/* An empty configuration means the pod's own, as in client-go. */
	if (rc == 0 && c->context == NULL && c->server == NULL &&
	    o->server == NULL && o->kubeconfig == NULL)
		read_account(c, o);
	release_files(&files);
	if (rc == 0) {
		apply_options(c, o);
		rc = check_server(c, o, err);
	}
	if (rc == 0)
		return c;
	kubeconfig_free(c);
	return NULL;
}
