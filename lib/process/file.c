#include "process/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 65536 };

int
file_read(const char *path, int mib, struct buf *b, struct err *err)
{
	size_t max = b->len + ((size_t)mib << 20);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;
	int error;

	buf_reserve(b, CHUNK);
	while (n > 0 && b->len <= max) {
		buf_reserve(b, 1);
		n = read(fd, b->data + b->len, b->cap - b->len);
		if (n > 0)
			b->len += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	error = errno;
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return err_set(err, ERR_PERMANENT, "cannot read %s: %s", path,
		    strerror(error));
	if (b->len > max)
		return err_set(
		    err, ERR_PERMANENT, "%s is larger than %d MiB", path, mib);
	return 0;
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
