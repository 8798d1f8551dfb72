// All programs of the images that the operators' examples name: they do what a
// test can see, and nothing of what is behind their names. As process 1 of a
// container, which is why SIGTERM is handled.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int signal)
{
	(void)signal;
	_exit(0);
}

static void reap(int signal)
{
	(void)signal;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void print(char **words)
{
	for (; *words; words++)
		printf("%s%s", *words, words[1] ? " " : "\n");
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];

	signal(SIGTERM, end);
	signal(SIGINT, end);
	signal(SIGCHLD, reap);
	if (!strcmp(name, "sh") || !strcmp(name, "echo")) {
		print(argv + 1);
		return fflush(stdout) != 0;
	}
	if (!strcmp(name, "false"))
		return 1;
	if (!strcmp(name, "sleep") && argc > 1)
		return (int)sleep((unsigned)atoi(argv[1]));
	for (;;)
		pause();
}
