/*
 * httpserver: t/server/misbehave and certificates, for tests of HTTP clients.
 * Tests run in the root of the repository.
 */
#ifndef HTTPSERVER_H
#define HTTPSERVER_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct server {
	pid_t pid;
	int stdin_fd; /* the server ends when this is closed */
	int port;
};

static char server_dir[] = "/tmp/kpipe-test-XXXXXX";

/* A file of the test's own directory; four of them at a time. */
__attribute__((unused)) static const char *
in_dir(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", server_dir, name);
	return path;
}

__attribute__((unused)) static void
put_file(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

__attribute__((unused)) static void
server_prepare(void)
{
	char command[600];

	signal(SIGPIPE, SIG_IGN);
	snprintf(command, sizeof(command), "t/server/make-certs %s",
	    mkdtemp(server_dir));
	if (system(command) != 0) {
		printf("Bail out! no certificates\n");
		exit(1);
	}
}

__attribute__((unused)) static void
server_remove(void)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -rf %s", server_dir);
	if (system(command) != 0)
		printf("# cannot remove %s\n", server_dir);
}

/* CA: checks the certificates of clients. */
__attribute__((unused)) static struct server
server_start(const char *cert, const char *key, const char *ca)
{
	struct server s = {0};
	int in[2], out[2];
	FILE *f;

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		abort();
	s.pid = fork();
	if (s.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl("t/server/misbehave", "misbehave", cert, key, ca, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	s.stdin_fd = in[1];
	f = fdopen(out[0], "r");
	if (f == NULL || fscanf(f, "%d", &s.port) != 1) {
		printf("Bail out! no server\n");
		exit(1);
	}
	fclose(f);
	return s;
}

__attribute__((unused)) static void
server_stop(struct server *s)
{
	close(s->stdin_fd);
	waitpid(s->pid, NULL, 0);
}

#endif
