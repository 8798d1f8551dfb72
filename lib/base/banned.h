/*
 * banned: functions that this project does not call. The build includes this
 * before everything else (see Makefile): a use is an error, not a warning.
 * Those that write without a limit, keep hidden state, cannot report an error,
 * or start
 * a shell.
 */
#ifndef BANNED_H
#define BANNED_H

/* The C library must declare them first: afterwards the names are poisoned. */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#pragma GCC poison strcpy strcat strncpy strncat stpcpy sprintf vsprintf
#pragma GCC poison strtok atoi atol atoll atof
/* mem.h has what cannot fail. */
#pragma GCC poison strndup
#pragma GCC poison gmtime localtime asctime ctime
#pragma GCC poison gets tmpnam tmpnam_r tempnam mktemp
#undef alloca
#pragma GCC poison alloca
/* Tests may use these: they read only their own text. */
#ifndef KPIPE_TEST
#pragma GCC poison scanf fscanf sscanf vscanf vfscanf vsscanf system popen
#endif

#endif
