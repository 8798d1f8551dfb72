#include "digestkey.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "process/file.h"

/* 0; 1: there is none. */
static int
read_key(const char *path, unsigned char key[REDACT_KEY_SIZE], struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return 1;
	n = fd < 0 ? -1 : read(fd, key, REDACT_KEY_SIZE);
	if (n < 0)
		err_set(err, ERR_TRANSIENT, "cannot read %s: %s", path,
		    strerror(errno));
	else if (n != REDACT_KEY_SIZE)
		err_set(err, ERR_TRANSIENT,
		    "%s has less than %d bytes: remove it", path,
		    REDACT_KEY_SIZE);
	if (fd >= 0)
		close(fd);
	return n == REDACT_KEY_SIZE ? 0 : -1;
}

static int
write_all(const char *path, struct err *err)
{
	char key[REDACT_KEY_SIZE];
	int fd = open(
	    path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int rc = -1;

	if (getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
		err_set(err, ERR_TRANSIENT, "no random numbers for %s", path);
	else if (fd < 0 || file_write(fd, span_make(key, sizeof(key))) != 0)
		err_set(err, ERR_TRANSIENT, "cannot write %s: %s", path,
		    strerror(errno));
	else
		rc = 0;
	explicit_bzero(key, sizeof(key));
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Another process may make it at the same time: the first one's holds. */
static int
make_key(const char *path, struct err *err)
{
	struct buf other = BUF_INIT;
	int rc;

	buf_addf(&other, "%s.%ld", path, (long)getpid());
	rc = write_all(buf_str(&other), err);
	if (rc == 0 && link(buf_str(&other), path) != 0 && errno != EEXIST)
		rc = err_set(err, ERR_TRANSIENT, "cannot make %s: %s", path,
		    strerror(errno));
	unlink(buf_str(&other));
	buf_release(&other);
	return rc;
}

int
digestkey_get(
    const char *dir, unsigned char key[REDACT_KEY_SIZE], struct err *err)
{
	struct buf path = BUF_INIT;
	struct stat st;
	int rc;

	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return err_set(err, ERR_TRANSIENT, "cannot make %s: %s", dir,
		    strerror(errno));
	if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(
		    err, ERR_PERMANENT, "%s is not a directory", dir);
	buf_addf(&path, "%s/digests.key", dir);
	rc = read_key(buf_str(&path), key, err);
	if (rc == 1 && (rc = make_key(buf_str(&path), err)) == 0)
		rc = read_key(buf_str(&path), key, err);
	buf_release(&path);
	return rc == 0 ? 0 : -1;
}
