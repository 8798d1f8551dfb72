#include "kubeconfig/execcred.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"
#include "kubeconfig/pem.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/loop.h"
#include "value/base64.h"
#include "value/digest.h"

/*
 * ---- the plugin ----
 *
 * A command that prints something, run beside the loop, bounded in time and size.
 * stderr passes through; without a terminal its stdin is /dev/null, so that it
 * never eats the input of a pipeline.
 */

struct plugin_run {
	const char *command; /* argv[0]; looked up in PATH if without slash */
	char *const *argv;
	char *const *envp;
	bool interactive; /* stdin is ours */
	uint64_t timeout_ms;
};

/* output is borrowed; err is NULL if the command ended with 0, else a sentence
 * without the command's name, which the caller puts before it. */
typedef void plugin_done_fn(
    void *arg, struct span output, const struct err *err);

enum { LOOK_MS = 20, SAY_MS = 5000, OUTPUT_MAX = 1 << 20 };

struct plugin {
	struct loop *loop;
	plugin_done_fn *done;
	void *arg;
	pid_t pid;
	int pid_fd; /* -1: this kernel has none, look now and then */
	int out_fd; /* -1 after its end */
	bool group; /* the process leads a group of its own */
	uint64_t timeout_ms;
	struct timer timer;
	struct timer look;
	struct timer say;
	char *command;
	struct buf output;
};

static void
release(struct plugin *p)
{
	loop_cancel(p->loop, &p->timer);
	loop_cancel(p->loop, &p->look);
	loop_cancel(p->loop, &p->say);
	free(p->command);
	if (p->pid_fd >= 0) {
		loop_unwatch(p->loop, p->pid_fd);
		close(p->pid_fd);
	}
	if (p->out_fd >= 0) {
		loop_unwatch(p->loop, p->out_fd);
		close(p->out_fd);
	}
	/* The output may hold a token. */
	buf_wipe(&p->output);
	free(p);
}

static void
kill_and_reap(struct plugin *p)
{
	kill(p->group ? -p->pid : p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void
finish(struct plugin *p, const struct err *err)
{
	p->done(p->arg, buf_span(&p->output), err);
	release(p);
}

static void
on_timeout(void *arg)
{
	struct plugin *p = arg;
	struct err err;

	kill_and_reap(p);
	err_set(&err, ERR_TRANSIENT, "did not end within %llu s",
	    (unsigned long long)p->timeout_ms / 1000);
	finish(p, &err);
}

/* All requests wait for the plugin. */
static void
say_waiting(void *arg)
{
	struct plugin *p = arg;

	log_warning("waiting for the exec plugin %s, for at most %llu s",
	    p->command, (unsigned long long)p->timeout_ms / 1000);
}

static void
read_output(struct plugin *p)
{
	while (p->out_fd >= 0 && p->output.len <= OUTPUT_MAX) {
		ssize_t n =
		    read(p->out_fd, buf_reserve(&p->output, 4096), 4096);

		if (n > 0) {
			p->output.len += (size_t)n;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			loop_unwatch(p->loop, p->out_fd);
			close(p->out_fd);
			p->out_fd = -1;
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

static void
on_output(void *arg, int fd, int events)
{
	struct plugin *p = arg;
	struct err err;

	(void)fd;
	(void)events;
	read_output(p);
	if (p->output.len <= OUTPUT_MAX)
		return;
	kill_and_reap(p);
	err_set(&err, ERR_PERMANENT, "printed more than %d bytes", OUTPUT_MAX);
	finish(p, &err);
}

/* Children of the command may keep the pipe open: its own end counts. */
static void
check_exit(void *arg)
{
	struct plugin *p = arg;
	struct err err = ERR_INIT;
	int status = 0;

	if (waitpid(p->pid, &status, WNOHANG) == 0) {
		if (p->pid_fd < 0)
			loop_after(p->loop, &p->look, LOOK_MS, check_exit, p);
		return;
	}
	read_output(p);
	if (WIFSIGNALED(status))
		err_set(&err, ERR_TRANSIENT, "was killed by signal %d",
		    WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		err_set(&err, ERR_TRANSIENT, "failed with exit code %d",
		    WEXITSTATUS(status));
	else if (p->output.len > OUTPUT_MAX)
		err_set(&err, ERR_PERMANENT, "printed more than %d bytes",
		    OUTPUT_MAX);
	finish(p, err.kind != ERR_NONE ? &err : NULL);
}

static void
on_pid(void *arg, int fd, int events)
{
	(void)fd;
	(void)events;
	check_exit(arg);
}

static void
watch_exit(struct plugin *p)
{
	p->pid_fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pid_fd >= 0)
		loop_watch(p->loop, p->pid_fd, LOOP_READ, on_pid, p);
	else
		loop_after(p->loop, &p->look, LOOK_MS, check_exit, p);
}

/*
 * The file that the command means, appended to path; 0 or an errno. (What
 * posix_spawn says of a missing one depends on how it was built.)
 */
static int
find_command(const char *command, struct buf *path)
{
	const char *dirs = getenv("PATH");
	int error = ENOENT;

	if (strchr(command, '/') != NULL) {
		buf_adds(path, command);
		return access(command, X_OK) == 0 ? 0 : errno;
	}
	while (dirs != NULL && *dirs != '\0') {
		size_t n = strcspn(dirs, ":");

		buf_reset(path);
		buf_addf(path, "%.*s/%s", (int)n, dirs, command);
		if (n > 0 && access(buf_str(path), X_OK) == 0)
			return 0;
		if (n > 0 && errno == EACCES)
			error = EACCES;
		dirs += n + (dirs[n] == ':');
	}
	return error;
}

/* The loop blocks signals, and the tools ignore SIGPIPE: the plugin gets the
 * defaults. */
static int
spawn(const struct plugin_run *run, const char *path, int out_fd, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	sigset_t set;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_adddup2(&actions, out_fd, 1);
	if (!run->interactive) {
		posix_spawn_file_actions_addopen(
		    &actions, 0, "/dev/null", O_RDONLY, 0);
		posix_spawnattr_setpgroup(&attr, 0);
		flags |= POSIX_SPAWN_SETPGROUP;
	}
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attr, &set);
	sigaddset(&set, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &set);
	posix_spawnattr_setflags(&attr, flags);
	rc = posix_spawn(pid, path, &actions, &attr, run->argv, run->envp);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

/* NULL with err (permanent) if it cannot be started. done is called once, from the
 * loop, and ends the plugin's life; plugin_stop kills it before that. */
static struct plugin *
plugin_start(struct loop *l, const struct plugin_run *run, plugin_done_fn *done,
    void *arg, struct err *err)
{
	struct buf path = BUF_INIT;
	struct plugin *p;
	int fds[2] = {-1, -1};
	int rc = find_command(run->command, &path);
	pid_t pid;

	if (rc == 0)
		rc = pipe2(fds, O_CLOEXEC) == 0 ? 0 : errno;
	if (rc == 0) {
		rc = spawn(run, buf_str(&path), fds[1], &pid);
		close(fds[1]);
	}
	buf_release(&path);
	if (rc != 0) {
		if (fds[0] >= 0)
			close(fds[0]);
		err_set(
		    err, ERR_PERMANENT, "cannot be started: %s", strerror(rc));
		return NULL;
	}
	p = mem_zalloc(sizeof(*p));
	p->loop = l;
	p->done = done;
	p->arg = arg;
	p->pid = pid;
	p->group = !run->interactive;
	p->command = mem_strdup(run->command);
	p->timeout_ms = run->timeout_ms;
	p->out_fd = fds[0];
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	loop_watch(l, p->out_fd, LOOP_READ, on_output, p);
	watch_exit(p);
	loop_after(l, &p->timer, run->timeout_ms, on_timeout, p);
	loop_after(l, &p->say, SAY_MS, say_waiting, p);
	return p;
}

static void
plugin_stop(struct plugin *p)
{
	if (p == NULL)
		return;
	kill_and_reap(p);
	release(p);
}

/* ---- the credential ---- */

enum {
	TIMEOUT_MS = 60000,
	PERSON_TIMEOUT_MS = 600000, /* a user types a password */
	PAUSE_MS = 5000,	    /* between failures */
};

struct execcred {
	struct loop *loop;
	const struct kubeconfig *config; /* borrowed */
	const struct buf *ca;		 /* borrowed */
	loop_fn *changed;
	void *arg;
	struct plugin *running; /* NULL: not now */
	bool valid;
	bool ever; /* the program once gave a credential */
	char *token, *cert, *key;
	int64_t expires_us; /* INT64_MAX: when refused */
	unsigned version, tls_version;
	uint64_t got_ms;    /* when the credential came */
	uint64_t failed_ms; /* 0: the last run was good */
	struct err err;
};

struct execcred *
execcred_new(struct loop *l, const struct kubeconfig *c, const struct buf *ca,
    loop_fn *changed, void *arg)
{
	struct execcred *e = mem_zalloc(sizeof(*e));

	e->loop = l;
	e->config = c;
	e->ca = ca;
	e->changed = changed;
	e->arg = arg;
	return e;
}

void
execcred_free(struct execcred *e)
{
	if (e == NULL)
		return;
	plugin_stop(e->running);
	mem_wipe(e->token);
	mem_wipe(e->cert);
	mem_wipe(e->key);
	free(e);
}

/* ---- the input of the plugin ---- */

static void
add_text_member(struct buf *b, const char *key, const char *value)
{
	if (value == NULL)
		return;
	json_add_key(b, key);
	json_add_str(b, value);
}

static void
add_cluster(const struct execcred *e, struct buf *b)
{
	const struct kubeconfig *c = e->config;
	struct buf ca = BUF_INIT;

	json_add_key(b, "cluster");
	buf_addc(b, '{');
	add_text_member(b, "server", c->server);
	add_text_member(b, "tls-server-name", c->tls_server_name);
	if (c->insecure)
		buf_adds(b, ",\"insecure-skip-tls-verify\":true");
	if (e->ca->len > 0) {
		base64_add(&ca, buf_span(e->ca));
		add_text_member(b, "certificate-authority-data", buf_str(&ca));
	}
	add_text_member(b, "proxy-url", c->proxy_url);
	if (c->disable_compression)
		buf_adds(b, ",\"disable-compression\":true");
	if (c->exec->config != NULL) {
		json_add_key(b, "config");
		buf_adds(b, c->exec->config);
	}
	buf_addc(b, '}');
	buf_release(&ca);
}

static void
add_exec_info(const struct execcred *e, bool interactive, struct buf *b)
{
	buf_adds(b, "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\"");
	add_text_member(b, "apiVersion", e->config->exec->api_version);
	buf_addf(
	    b, ",\"spec\":{\"interactive\":%s", interactive ? "true" : "false");
	if (e->config->exec->provide_cluster_info)
		add_cluster(e, b);
	buf_adds(b, "}}");
}

static bool
overrides(const char *entry, const char *name)
{
	size_t n = strcspn(name, "=");

	return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

/* Our environment, without variables that are set here. */
static void
make_environment(
    const struct execcred *e, bool interactive, struct textlist *env)
{
	const struct kubeconfig_exec *x = e->config->exec;
	struct buf info = BUF_INIT;

	for (char **at = environ; *at != NULL; at++) {
		bool said = overrides(*at, "KUBERNETES_EXEC_INFO");

		for (size_t i = 0; i < x->env.count && !said; i++)
			said = overrides(*at, x->env.items[i]);
		if (!said)
			textlist_add(env, *at, strlen(*at));
	}
	for (size_t i = 0; i < x->env.count; i++)
		textlist_add(env, x->env.items[i], strlen(x->env.items[i]));
	add_exec_info(e, interactive, &info);
	textlist_add(env, info.data, info.len);
	buf_release(&info);
}

/* ---- the output of the plugin ---- */

static char *
take_text(struct span value)
{
	struct buf scratch = BUF_INIT;
	struct span s = json_string(value, &scratch);
	char *text = NULL;

	/* NUL would cut it, and belongs in no credential. */
	if (s.p != NULL && span_find(s, '\0') == NULL)
		text = mem_dup(s.p, s.n);
	buf_wipe(&scratch);
	return text;
}

static int
check_token(const char *token, struct err *err)
{
	for (; token != NULL && *token != '\0'; token++)
		if (*token <= ' ' || *token > '~')
			return err_set(err, ERR_PERMANENT,
			    "printed a token with characters that no token "
			    "has");
	return 0;
}

static int
take_expiry(struct span status, int64_t *us, struct err *err)
{
	struct buf scratch = BUF_INIT;
	struct span at =
	    json_string(json_get(status, "expirationTimestamp"), &scratch);
	int rc = 0;

	*us = INT64_MAX;
	if (at.p != NULL && clock_parse_us(at, us) != 0)
		rc = err_set(err, ERR_PERMANENT,
		    "printed an expirationTimestamp that is not a time");
	buf_release(&scratch);
	return rc;
}

static int
check_credential(
    const char *token, const char *cert, const char *key, struct err *err)
{
	if (token == NULL && cert == NULL && key == NULL)
		return err_set(err, ERR_PERMANENT,
		    "printed neither token nor client certificate");
	if ((cert == NULL) != (key == NULL))
		return err_set(err, ERR_PERMANENT,
		    "printed a client certificate without key, or a key "
		    "without certificate");
	if (cert != NULL &&
	    pem_check_pair(span_str(cert), span_str(key), err) != 0)
		return err_prefix(err, "printed a bad certificate");
	return check_token(token, err);
}

static int
check_output(const struct execcred *e, struct span output, struct err *err)
{
	const char *version = e->config->exec->api_version;

	if (json_check(output, NULL) != 0)
		return err_set(err, ERR_PERMANENT, "printed no JSON");
	if (!json_is(json_get(output, "kind"), "ExecCredential") ||
	    !json_is(json_get(output, "apiVersion"), version))
		return err_set(err, ERR_PERMANENT,
		    "printed no ExecCredential of %s", version);
	return 0;
}

static bool
same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static int
take_credential(struct execcred *e, struct span output, struct err *err)
{
	struct span status;
	char *token, *cert, *key;
	int64_t expires;
	int rc;

	if (check_output(e, output, err) != 0)
		return -1;
	status = json_get(output, "status");
	token = take_text(json_get(status, "token"));
	cert = take_text(json_get(status, "clientCertificateData"));
	key = take_text(json_get(status, "clientKeyData"));
	rc = check_credential(token, cert, key, err);
	if (rc == 0)
		rc = take_expiry(status, &expires, err);
	if (rc != 0) {
		mem_wipe(token);
		mem_wipe(cert);
		mem_wipe(key);
		return -1;
	}
	if (!same(cert, e->cert) || !same(key, e->key))
		e->tls_version++;
	mem_wipe(e->token);
	mem_wipe(e->cert);
	mem_wipe(e->key);
	e->token = token;
	e->cert = cert;
	e->key = key;
	e->expires_us = expires;
	e->version++;
	return 0;
}

/* ---- running it ---- */

/* If the command never worked, the configuration is wrong. */
static void
fail(struct execcred *e)
{
	const struct kubeconfig_exec *x = e->config->exec;
	struct err plain = e->err;

	err_set(&e->err, e->ever ? ERR_TRANSIENT : ERR_PERMANENT,
	    "%s: user \"%s\": the exec plugin \"%s\" %s", e->config->origin,
	    e->config->user, x->command, plain.message);
	e->failed_ms = clock_ms();
}

static void
on_done(void *arg, struct span output, const struct err *err)
{
	struct execcred *e = arg;

	e->running = NULL;
	e->valid = false;
	e->err = (struct err)ERR_INIT;
	if (err != NULL)
		e->err = *err;
	if (err != NULL || take_credential(e, output, &e->err) != 0) {
		fail(e);
	} else {
		e->valid = e->ever = true;
		e->failed_ms = 0;
		e->got_ms = clock_ms();
	}
	e->changed(e->arg);
}

static void
add_hint(struct execcred *e)
{
	const char *hint = e->config->exec->install_hint;
	struct err plain = e->err;

	if (hint != NULL)
		err_set(&e->err, plain.kind, "%s (%s)", plain.message, hint);
}

static enum auth_state
start(struct execcred *e, struct err *err)
{
	const struct kubeconfig_exec *x = e->config->exec;
	bool person = x->interactive != KUBECONFIG_STDIN_NEVER && isatty(0);
	struct plugin_run run = {.command = x->command,
	    .interactive = person,
	    .timeout_ms = person ? PERSON_TIMEOUT_MS : TIMEOUT_MS};
	struct textlist argv, env;

	e->valid = false;
	e->err = (struct err)ERR_INIT;
	textlist_init(&argv);
	textlist_init(&env);
	textlist_add(&argv, x->command, strlen(x->command));
	for (size_t i = 0; i < x->args.count; i++)
		textlist_add(&argv, x->args.items[i], strlen(x->args.items[i]));
	make_environment(e, person, &env);
	run.argv = argv.items;
	run.envp = env.items;
	if (x->interactive == KUBECONFIG_STDIN_ALWAYS && !person)
		err_set(&e->err, ERR_PERMANENT,
		    "needs a terminal (interactiveMode is Always)");
	else
		e->running = plugin_start(e->loop, &run, on_done, e, &e->err);
	textlist_release(&argv);
	textlist_release(&env);
	if (e->running != NULL)
		return AUTH_WAIT;
	fail(e);
	add_hint(e);
	*err = e->err;
	return AUTH_FAILED;
}

enum auth_state
execcred_ready(struct execcred *e, struct err *err)
{
	if (e->running != NULL)
		return AUTH_WAIT;
	/* A credential that came expired is used for a while, or the plugin
	 * would run without end. */
	if (e->valid &&
	    (clock_real_us() < e->expires_us ||
		clock_ms() < e->got_ms + PAUSE_MS))
		return AUTH_READY;
	if (e->failed_ms != 0 && clock_ms() < e->failed_ms + PAUSE_MS) {
		*err = e->err;
		return AUTH_FAILED;
	}
	return start(e, err);
}

/* If a new credential is refused, another one will be refused, too. */
bool
execcred_refused(struct execcred *e)
{
	if (!e->valid || clock_ms() < e->got_ms + PAUSE_MS)
		return false;
	e->valid = false;
	return true;
}

const char *
execcred_token(const struct execcred *e)
{
	return e->token;
}

void
execcred_certificate(
    const struct execcred *e, struct span *cert, struct span *key)
{
	if (e->cert == NULL)
		return;
	*cert = span_str(e->cert);
	*key = span_str(e->key);
}

unsigned
execcred_version(const struct execcred *e)
{
	return e->version;
}

unsigned
execcred_tls_version(const struct execcred *e)
{
	return e->tls_version;
}
