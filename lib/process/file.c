#include "process/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { CHUNK = 65536 };

/* read() that waits for bytes, and goes on after signals. */
static ssize_t
read_some(int fd, char *p, size_t n)
{
	for (;;) {
		struct pollfd pfd = {fd, POLLIN, 0};
		ssize_t done = read(fd, p, n);

		if (done >= 0 || (errno != EINTR && errno != EAGAIN))
			return done;
		if (errno == EAGAIN)
			poll(&pfd, 1, -1);
	}
}

static int
fail(const char *name, int error, struct err *err)
{
	return err_set(
	    err, ERR_PERMANENT, "cannot read %s: %s", name, strerror(error));
}

int
file_read_fd(int fd, const char *name, int mib, struct buf *b, struct err *err)
{
	size_t max = b->len + ((size_t)mib << 20);
	ssize_t n = 1;

	buf_reserve(b, CHUNK);
	while (n > 0 && b->len <= max) {
		buf_reserve(b, 1);
		n = read_some(fd, b->data + b->len, b->cap - b->len);
		if (n > 0)
			b->len += (size_t)n;
	}
	if (n < 0)
		return fail(name, errno, err);
	if (b->len > max)
		return err_set(
		    err, ERR_PERMANENT, "%s is larger than %d MiB", name, mib);
	return 0;
}

int
file_read(const char *path, int mib, struct buf *b, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return fail(path, errno, err);
	rc = file_read_fd(fd, path, mib, b, err);
	close(fd);
	return rc;
}

char *
file_real(const char *path)
{
	char *real = realpath(path, NULL);

	if (real == NULL && errno == ENOMEM)
		mem_exhausted(NULL);
	return real;
}

const char *
file_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

int
file_write(int fd, struct span text)
{
	while (text.n > 0) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text.p += n;
		text.n -= (size_t)n;
	}
	return 0;
}

int
file_open_private(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);
	struct stat st;
	int error;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 &&
	    (!S_ISREG(st.st_mode) || (st.st_mode & 07777) == 0600 ||
		fchmod(fd, 0600) == 0))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

int
file_check_program(const char *path)
{
	struct stat st;

	if (access(path, X_OK) != 0 || stat(path, &st) != 0)
		return -1;
	errno = EISDIR;
	return S_ISDIR(st.st_mode) ? -1 : 0;
}

char *
file_find_program(const char *name)
{
	const char *p = getenv("PATH");

	while (p != NULL && *p != '\0') {
		size_t n = strcspn(p, ":");
		struct buf b = BUF_INIT;

		buf_addf(
		    &b, "%.*s/%s", n > 0 ? (int)n : 1, n > 0 ? p : ".", name);
		if (file_check_program(buf_str(&b)) == 0)
			return buf_take(&b);
		buf_release(&b);
		p += n + (p[n] == ':');
	}
	return NULL;
}
