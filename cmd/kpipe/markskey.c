#include "markskey.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "kube/proof.h"
#include "process/file.h"

int
markskey_make(struct err *err)
{
	int fd = memfd_create("kpipe-marks", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct buf key = BUF_INIT;
	int rc;

	if (fd < 0)
		return err_set(err, ERR_TRANSIENT,
		    "cannot keep the key of marks: %s", strerror(errno));
	rc = proof_make_key(&key, err);
	if (rc == 0 &&
	    (file_write(fd, buf_span(&key)) != 0 ||
		fcntl(fd, F_ADD_SEALS,
		    F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
		    0))
		rc = err_set(err, ERR_TRANSIENT,
		    "cannot keep the key of marks: %s", strerror(errno));
	buf_wipe(&key);
	if (rc == 0)
		return fd;
	close(fd);
	return -1;
}

int
markskey_open(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err_set(err, ERR_PERMANENT, "option --marks-key-file: %s: %s",
		    path, strerror(errno));
	return fd;
}
