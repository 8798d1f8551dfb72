#include "process/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

TEST(file)
{
	static char text[(1 << 20) + 1];
	char name[] = "/tmp/test-file.XXXXXX";
	struct buf b = BUF_INIT, want = BUF_INIT;
	struct err err = ERR_INIT;
	int fd = mkstemp(name);

	memset(text, 'x', sizeof(text));
	ok(fd >= 0 && write(fd, text, sizeof(text) - 1) == sizeof(text) - 1,
	    "a file of one MiB");
	buf_adds(&b, "before ");
	ok(file_read(name, 1, &b, &err) == 0, "is not too large");
	ok(b.len == sizeof(text) + 6 && strncmp(b.data, "before xx", 9) == 0,
	    "and follows what the buffer had");
	buf_release(&b);

	ok(write(fd, text, 1) == 1 && file_read(name, 1, &b, &err) == -1 &&
		err.kind == ERR_PERMANENT,
	    "a byte more is an error");
	buf_addf(&want, "%s is larger than 1 MiB", name);
	is(err.message, buf_str(&want), "and says so");
	buf_release(&b);
	buf_release(&want);

	ok(ftruncate(fd, 0) == 0 && file_read(name, 1, &b, &err) == 0 &&
		b.len == 0,
	    "an empty file");
	unlink(name);
	close(fd);
	ok(file_read(name, 1, &b, &err) == -1, "no file");
	buf_addf(&want, "cannot read %s: No such file or directory", name);
	is(err.message, buf_str(&want), "is named");
	ok(file_read("/", 1, &b, &err) == -1, "a directory");
	is(err.message, "cannot read /: Is a directory", "is named");
	buf_release(&want);
	buf_release(&b);
}
