#include "kubeconfig/kubeuser.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/mem.h"

void
kubeuser_exec_free(struct kubeconfig_exec *e)
{
	if (e == NULL)
		return;
	free(e->command);
	textlist_release(&e->args);
	textlist_release(&e->env);
	free(e->api_version);
	free(e->install_hint);
	free(e->config);
	free(e);
}

void
kubeuser_forget(struct kubeconfig *c)
{
	char **texts[] = {&c->cert_file, &c->cert_pem, &c->key_file,
	    &c->key_pem, &c->token, &c->token_file, &c->username, &c->password};

	for (size_t i = 0; i < COUNT(texts); i++) {
		mem_wipe(*texts[i]); /* some are secrets */
		*texts[i] = NULL;
	}
	textlist_release(&c->impersonate);
	textlist_init(&c->impersonate);
	kubeuser_exec_free(c->exec);
	c->exec = NULL;
}

/* ---- impersonation ---- */

/* A header must stay one header. */
static int
add_header(struct kubeconfig *c, const struct kubeconfig_file *f,
    const struct yaml *value, const char *name, struct err *err)
{
	struct buf b = BUF_INIT;

	if (value->type != YAML_SCALAR)
		return kubeconfig_fail(f, value, err, "a text is expected");
	if (strpbrk(value->text, "\r\n") != NULL)
		return kubeconfig_fail(
		    f, value, err, "a line break is not allowed here");
	buf_addf(&b, "%s: %s", name, value->text);
	textlist_add(&c->impersonate, b.data, b.len);
	buf_release(&b);
	return 0;
}

static int
add_headers(struct kubeconfig *c, const struct kubeconfig_file *f,
    const struct yaml *list, const char *key, const char *name, struct err *err)
{
	int there = kubeconfig_is(f, list, YAML_SEQUENCE, key, err);

	if (there <= 0)
		return there;
	for (size_t i = 0; i < list->count; i++)
		if (add_header(c, f, list->values[i], name, err) != 0)
			return -1;
	return 0;
}

/* Keys of extra fields become parts of header names: percent-encoded but for
 * what a header's name may hold (client-go's headerKeyEscape). */
static void
add_extra_name(struct buf *b, const char *key)
{
	static const char plain[] = "!#$&'*+-.^_`|~0123456789"
				    "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	buf_adds(b, "Impersonate-Extra-");
	for (; *key != '\0'; key++)
		if (strchr(plain, *key) != NULL)
			buf_addc(b, *key);
		else
			buf_addf(b, "%%%02X", (unsigned char)*key);
}

static int
read_extra(struct kubeconfig *c, const struct kubeconfig_file *f,
    const struct yaml *extra, struct err *err)
{
	struct buf name = BUF_INIT;
	int there = kubeconfig_is(f, extra, YAML_MAPPING, "as-user-extra", err);
	int rc = 0;

	if (there <= 0)
		return there;
	for (size_t i = 0; i < extra->count && rc == 0; i++) {
		buf_reset(&name);
		add_extra_name(&name, extra->keys[i]->text);
		rc = add_headers(c, f, extra->values[i], extra->keys[i]->text,
		    buf_str(&name), err);
	}
	buf_release(&name);
	return rc;
}

static int
read_impersonation(struct kubeconfig *c, const struct kubeconfig_file *f,
    const struct yaml *user, struct err *err)
{
	struct yaml *as = yaml_get(user, "as");
	struct yaml *uid = yaml_get(user, "as-uid");

	if (as != NULL && as->type == YAML_SCALAR &&
	    (yaml_is_null(as) || *as->text == '\0'))
		as = NULL;
	if (as != NULL && add_header(c, f, as, "Impersonate-User", err) != 0)
		return -1;
	if (uid != NULL && !yaml_is_null(uid) &&
	    add_header(c, f, uid, "Impersonate-Uid", err) != 0)
		return -1;
	if (add_headers(c, f, yaml_get(user, "as-groups"), "as-groups",
		"Impersonate-Group", err) != 0 ||
	    read_extra(c, f, yaml_get(user, "as-user-extra"), err) != 0)
		return -1;
	if (as == NULL && c->impersonate.count > 0)
		return kubeconfig_fail(f, user, err,
		    "as-uid, as-groups and as-user-extra need \"as\"");
	return 0;
}

/* ---- plugins ---- */

static int
read_env(struct kubeconfig_exec *e, const struct kubeconfig_file *f,
    const struct yaml *list, struct err *err)
{
	struct buf b = BUF_INIT;
	int there = kubeconfig_is(f, list, YAML_SEQUENCE, "env", err);

	if (there <= 0)
		return there;
	for (size_t i = 0; i < list->count; i++) {
		struct yaml *name = yaml_get(list->values[i], "name");
		struct yaml *value = yaml_get(list->values[i], "value");

		if (name == NULL || name->type != YAML_SCALAR ||
		    value == NULL || value->type != YAML_SCALAR) {
			buf_release(&b);
			return kubeconfig_fail(f, list->values[i], err,
			    "env needs name and value");
		}
		buf_reset(&b);
		buf_addf(&b, "%s=%s", name->text, value->text);
		textlist_add(&e->env, b.data, b.len);
	}
	buf_release(&b);
	return 0;
}

static int
read_args(struct kubeconfig_exec *e, const struct kubeconfig_file *f,
    const struct yaml *list, struct err *err)
{
	int there = kubeconfig_is(f, list, YAML_SEQUENCE, "args", err);

	if (there <= 0)
		return there;
	for (size_t i = 0; i < list->count; i++) {
		struct yaml *arg = list->values[i];

		if (arg->type != YAML_SCALAR)
			return kubeconfig_fail(
			    f, arg, err, "args must be texts");
		textlist_add(&e->args, arg->text, strlen(arg->text));
	}
	return 0;
}

static int
read_interactive(struct kubeconfig_exec *e, const struct kubeconfig_file *f,
    const struct yaml *exec, struct err *err)
{
	static const char *const modes[] = {"Never", "IfAvailable", "Always"};
	struct yaml *y = yaml_get(exec, "interactiveMode");

	e->interactive = KUBECONFIG_STDIN_IF_AVAILABLE;
	if (y == NULL || yaml_is_null(y)) {
		if (strcmp(strrchr(e->api_version, '/'), "/v1") != 0)
			return 0;
		return kubeconfig_fail(f, exec, err,
		    "exec needs interactiveMode: Never, IfAvailable or Always");
	}
	for (int i = 0; i < 3; i++)
		if (y->type == YAML_SCALAR && strcmp(y->text, modes[i]) == 0) {
			e->interactive = (enum kubeconfig_stdin)i;
			return 0;
		}
	return kubeconfig_fail(
	    f, y, err, "interactiveMode must be Never, IfAvailable or Always");
}

/* A command with a slash is relative to its file. */
static int
read_command(struct kubeconfig_exec *e, const struct kubeconfig_file *f,
    const struct yaml *exec, struct err *err)
{
	char *command;

	if (kubeconfig_text(f, exec, "command", &e->command, err) != 0)
		return -1;
	if (e->command == NULL)
		return kubeconfig_fail(f, exec, err, "exec needs a command");
	if (strchr(e->command, '/') == NULL)
		return 0;
	command = e->command;
	e->command = kubeconfig_beside(f, command);
	free(command);
	return 0;
}

static int
read_api_version(struct kubeconfig_exec *e, const struct kubeconfig_file *f,
    const struct yaml *exec, struct err *err)
{
	if (kubeconfig_text(f, exec, "apiVersion", &e->api_version, err) != 0)
		return -1;
	if (e->api_version != NULL &&
	    (strcmp(e->api_version, "client.authentication.k8s.io/v1") == 0 ||
		strcmp(e->api_version,
		    "client.authentication.k8s.io/v1beta1") == 0))
		return 0;
	return kubeconfig_fail(f, exec, err,
	    "exec needs apiVersion client.authentication.k8s.io/v1 or v1beta1");
}

static int
read_exec(struct kubeconfig *c, const struct kubeconfig_file *f,
    const struct yaml *exec, struct err *err)
{
	struct kubeconfig_exec *e;
	int there = kubeconfig_is(f, exec, YAML_MAPPING, "exec", err);

	if (there <= 0)
		return there;
	e = c->exec = mem_zalloc(sizeof(*e));
	textlist_init(&e->args);
	textlist_init(&e->env);
	if (read_command(e, f, exec, err) != 0 ||
	    read_api_version(e, f, exec, err) != 0 ||
	    read_interactive(e, f, exec, err) != 0 ||
	    read_args(e, f, yaml_get(exec, "args"), err) != 0 ||
	    read_env(e, f, yaml_get(exec, "env"), err) != 0 ||
	    kubeconfig_text(f, exec, "installHint", &e->install_hint, err) !=
		0 ||
	    kubeconfig_bool(f, exec, "provideClusterInfo",
		&e->provide_cluster_info, err) != 0)
		return -1;
	return 0;
}

/* ---- the user ---- */

static int
check_user(const struct kubeconfig *c, const struct kubeconfig_file *f,
    const struct yaml *user, struct err *err)
{
	bool cert = c->cert_file != NULL || c->cert_pem != NULL;
	bool key = c->key_file != NULL || c->key_pem != NULL;
	bool token = c->token != NULL || c->token_file != NULL;

	if (cert != key)
		return kubeconfig_fail(f, user, err,
		    "client-%s is given without client-%s",
		    cert ? "certificate" : "key", cert ? "key" : "certificate");
	if (token && c->username != NULL)
		return kubeconfig_fail(
		    f, user, err, "token and username are both given");
	if (yaml_get(user, "auth-provider") != NULL && !token && !cert &&
	    c->exec == NULL && c->username == NULL)
		return kubeconfig_fail(f, yaml_get(user, "auth-provider"), err,
		    "auth-provider is no longer supported, use exec");
	return 0;
}

int
kubeuser_read(struct kubeconfig *c, const struct kubeconfig_file *f,
    const struct yaml *user, struct err *err)
{
	if (user == NULL || yaml_is_null(user))
		return 0;
	if (kubeconfig_pem(f, user, "client-certificate", &c->cert_file,
		&c->cert_pem, err) != 0 ||
	    kubeconfig_pem(
		f, user, "client-key", &c->key_file, &c->key_pem, err) != 0 ||
	    kubeconfig_text(f, user, "token", &c->token, err) != 0 ||
	    kubeconfig_path(f, user, "tokenFile", &c->token_file, err) != 0 ||
	    kubeconfig_text(f, user, "username", &c->username, err) != 0 ||
	    kubeconfig_text(f, user, "password", &c->password, err) != 0 ||
	    read_impersonation(c, f, user, err) != 0 ||
	    read_exec(c, f, yaml_get(user, "exec"), err) != 0)
		return -1;
	return check_user(c, f, user, err);
}
