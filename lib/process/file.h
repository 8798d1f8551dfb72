/*
 * file: reads a small file as a whole, writes a text as a whole, opens a file
 * that only its owner may read, and finds a program.
 */
#ifndef FILE_H
#define FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/*
 * Appends the content of the file. At most mib MiB are read: more is an error,
 * as is a file that cannot be opened or read (permanent, names the file); then
 * b holds some part of it. Of a file below 64 KiB no copy is left elsewhere in
 * memory, so that a caller can clear the secret it read.
 */
int file_read(const char *path, int mib, struct buf *b, struct err *err);

/* file_read for an open file (a pipe, a socket), from its current position.
 * name is for the error. A descriptor that does not block is waited for. */
int file_read_fd(
    int fd, const char *name, int mib, struct buf *b, struct err *err);

/* path without links, from the root. Owned; NULL with errno. */
char *file_real(const char *path);

/* path without its folders; a part of it. */
const char *file_base(const char *path);

/* Writes all of it, also after short writes. -1 with errno. fd blocks. */
int file_write(int fd, struct span text);

/*
 * open, for what its owner alone may read: a file that is made has the mode
 * 0600, and one that is there gets it, also through a link. Devices and pipes
 * stay as they are. -1 with errno: one that is another user's, too.
 */
int file_open_private(const char *path, int flags);

/* Whether path is a program that may be run. -1 with errno: it is not (EISDIR: it
 * is a folder). */
int file_check_program(const char *path);
/* The program of that name in PATH, where an empty part is the folder we are in.
 * Owned; NULL: there is none. */
char *file_find_program(const char *name);

#endif
