/*
 * A fork that never comes back, preloaded into a tool: $FORK_STANDS is the
 * number of the call, which makes the file $FORK_STANDS_AT.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

pid_t
fork(void)
{
	static int calls;
	pid_t (*next)(void);

	*(void **)&next = dlsym(RTLD_NEXT, "fork");
	if (++calls == atoi(getenv("FORK_STANDS"))) {
		close(open(getenv("FORK_STANDS_AT"), O_CREAT | O_WRONLY, 0644));
		for (;;)
			pause();
	}
	return next();
}
