/* The clock of a tool in a test: the page of the file that KPIPE_CLOCK names. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "clock/page.h"

/* Mapped first of all: in a sandbox no file is opened. */
__attribute__((constructor)) static void
map_page(void)
{
	static const char text[] = "a tool with a virtual clock: KPIPE_CLOCK "
				   "does not name a page (t/clock/README)\n";
	const char *name = getenv("KPIPE_CLOCK");
	int fd = name != NULL ? open(name, O_RDWR | O_CLOEXEC) : -1;
	void *p = mmap(NULL, sizeof(struct clock_page), PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);

	if (p == MAP_FAILED) {
		(void)!write(2, text, sizeof(text) - 1);
		_exit(EXIT_PERMANENT);
	}
	page_use(p);
	close(fd);
}
