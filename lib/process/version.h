/*
 * version: the lines that --version prints behind the name and the number:
 *
 *	commit 0123456789012345678901234567890123456789 dirty
 *	libcurl 7.88.1 (package 7.88.1-10+deb12u15 when built)
 *	libyaml 0.2.5
 *	libjq 1.6 (when built)
 *
 * The commit is of the build (lib/commit). A library is listed if the program
 * has it, with the version that runs: no tool keeps a list of its libraries.
 * libjq does not tell its version, so that is the one at build time. An update
 * for security often changes no other number than the revision of the package:
 * where dpkg knows it, it is the one at build time as well (lib/packages), which
 * for libcurl.a is the one inside.
 */
#ifndef VERSION_H
#define VERSION_H

#include "base/buf.h"

/* Appends "012345678901" or "012345678901 dirty", the beginning of it. */
void version_add_commit(struct buf *b);

/* Appends the lines. */
void version_describe(struct buf *b);

#endif
