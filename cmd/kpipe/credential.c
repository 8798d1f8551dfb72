#include "credential.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "kubeconfig/kubeconfig.h"

enum who { KWATCH, KAPPLY, KSTATUS, KELECT, HTTP, WHO };

static struct {
	const char *kubeconfig, *token_file;
} own[WHO];

/* The options for kpipe-http begin with --http. */
static const struct {
	const char *stage, *option;
} names[WHO] = {{"kwatch", "kwatch"}, {"kapply", "kapply"},
    {"kstatus", "kstatus"}, {"kelect", "kelect"}, {"kpipe-http", "http"}};

#define ROWS(option, who, tool)                                             \
	{0, option "-kubeconfig", "FILE", OPT_STRING, &own[who].kubeconfig, \
	    NULL, "the kubeconfig of " tool},                               \
	{                                                                   \
		0, option "-token-file", "FILE", OPT_STRING,                \
		    &own[who].token_file, NULL, "the token of " tool        \
	}

const struct opt credential_table[] = {ROWS("kwatch", KWATCH, "kwatch alone"),
    ROWS("kapply", KAPPLY, "kapply alone"),
    ROWS("kstatus", KSTATUS, "kstatus alone"),
    ROWS("kelect", KELECT, "kelect alone"),
    ROWS("http", HTTP, "kpipe-http (and kview) alone"), OPT_END};

static int
check(enum who who, bool runs, const char *needed, struct err *err)
{
	if (runs ||
	    (own[who].kubeconfig == NULL && own[who].token_file == NULL))
		return 0;
	return err_set(err, ERR_PERMANENT, "option --%s-%s needs %s",
	    names[who].option,
	    own[who].token_file != NULL ? "token-file" : "kubeconfig", needed);
}

int
credential_check(bool elects, bool reviews, struct err *err)
{
	if (check(KELECT, elects, "--leader-elect", err) != 0)
		return -1;
	return check(HTTP, reviews,
	    "--metrics-secure, or a --view-bind-address that is not this "
	    "machine's alone",
	    err);
}

/* kview asks the same questions as kpipe-http. */
static size_t
who_is(const char *stage)
{
	size_t who = 0;

	if (strcmp(stage, "kview") == 0)
		return HTTP;
	while (strcmp(names[who].stage, stage) != 0)
		who++;
	return who;
}

/* Reads what may have secrets, which kpipe has none of. */
static void
print_context(int fd)
{
	char *name = kubeconfig_current(&kube_opts);

	if (name != NULL && write(fd, name, strlen(name)) < 0)
		_exit(1);
	_exit(0);
}

/* The context that the options mean now; NULL: none. The caller frees it. */
static char *
find_context(void)
{
	char name[1024] = ""; /* written at once, as a pipe takes it */
	struct err err = ERR_INIT;
	ssize_t n = -1;
	int fds[2];
	pid_t pid;

	if (stage_pipe(fds, &err) != 0)
		return NULL;
	pid = fork();
	if (pid == 0)
		print_context(fds[1]);
	close(fds[1]);
	if (pid > 0) {
		n = read(fds[0], name, sizeof(name) - 1);
		waitpid(pid, NULL, 0);
	}
	close(fds[0]);
	return n > 0 ? mem_strdup(name) : NULL;
}

static const char *
common_context(void)
{
	static char *name;
	static bool known;

	if (!known)
		name = find_context();
	known = true;
	return name;
}

void
credential_pass(struct stage *s)
{
	const struct kube_opts common = kube_opts;
	size_t who = who_is(s->name);
	char *context = NULL;

	/* The table's rows point there. */
	if (own[who].kubeconfig != NULL) {
		kube_opts.kubeconfig = own[who].kubeconfig;
		kube_opts.context = NULL;
		kube_opts.token_file = NULL;
		kube_opts.context = context = find_context();
	} else if (kube_opts.context == NULL)
		kube_opts.context = common_context();
	if (own[who].token_file != NULL)
		kube_opts.token_file = own[who].token_file;
	opt_pass(kube_opt_server_table, &s->args);
	kube_opts = common;
	free(context);
}
