#include "process/harden.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "process/log.h"

/* NULL in a tool without it (version.c). */
#pragma weak CRYPTO_set_mem_functions

#if defined(__SANITIZE_ADDRESS__)
/* The sanitizer's leak checker traces us from another process. */
enum { DUMPABLE = 1 };
#else
enum { DUMPABLE = 0 };
#endif

/* Opened for the other direction, so that every use of it fails, as before. */
static void
keep_standard_numbers(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (open("/dev/null", flags) == fd)
			continue;
		log_fatal("descriptor %d is closed, and /dev/null cannot be "
			  "opened instead: %s",
		    fd, strerror(errno));
		_exit(EXIT_TRANSIENT);
	}
}

/* OpenSSL as mem.h: a call that lacks memory would look like a bad certificate,
 * and what it leaves half done stays so until the process ends. */
static void *
crypto_alloc(size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	return n == 0 ? NULL : mem_alloc(n);
}

static void
crypto_free(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	free(p);
}

static void *
crypto_realloc(void *p, size_t n, const char *file, int line)
{
	if (n != 0)
		return mem_realloc(p, n);
	crypto_free(p, file, line);
	return NULL;
}

static void
give_memory(void)
{
	if (CRYPTO_set_mem_functions != NULL)
		CRYPTO_set_mem_functions(
		    crypto_alloc, crypto_realloc, crypto_free);
}

void
harden_parent(struct rlimit *limits)
{
	struct rlimit none;

	keep_standard_numbers();
	give_memory();
	*limits = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
	getrlimit(RLIMIT_CORE, limits);
	/* The hard limit stays, or a process without root could not restore the
	 * limit. */
	none = (struct rlimit){0, limits->rlim_max};
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0);
}

void
harden_give_back(const struct rlimit *limits)
{
	setrlimit(RLIMIT_CORE, limits);
}

void
harden_process(void)
{
	static const struct rlimit none = {0, 0};

	keep_standard_numbers();
	give_memory();
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
