/*
 * httpserver: t/server/misbehave and certificates, for tests of HTTP clients.
 * Tests run in the root of the repository.
 */
#ifndef HTTPSERVER_H
#define HTTPSERVER_H

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

struct server {
	pid_t pid;
	int stdin_fd; /* the server ends when this is closed */
	int port;
};

__attribute__((unused)) static void
server_prepare(void)
{
	char command[600];

	signal(SIGPIPE, SIG_IGN);
	scratch_make();
	snprintf(command, sizeof(command), "t/server/make-certs %s", scratch);
	if (system(command) != 0) {
		printf("Bail out! no certificates\n");
		exit(1);
	}
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
