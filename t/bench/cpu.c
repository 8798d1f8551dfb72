/* cpu FILE COMMAND [ARG]...: runs it, and appends to FILE the CPU time of it
 * and of all its descendants, in milliseconds, also of those that no process
 * waited for. Exits as the command did. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double
ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

int
main(int argc, char **argv)
{
	int status, code = 111;
	struct rusage used;
	pid_t child, ended;
	FILE *to;

	if (argc < 3)
		return 100;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		_exit(111);
	}
	while ((ended = wait(&status)) > 0)
		if (ended == child && WIFEXITED(status))
			code = WEXITSTATUS(status);
	to = fopen(argv[1], "a");
	if (to == NULL || getrusage(RUSAGE_CHILDREN, &used) != 0)
		return 111;
	fprintf(to, "%.1f\n", ms(used.ru_utime) + ms(used.ru_stime));
	return fclose(to) == 0 ? code : 111;
}
