/*
 * banned: functions that nobody here calls. The build includes this before
 * everything else (see Makefile): a use is an error, not a warning. Those that
 * write without a limit, keep hidden state, or cannot report an error.
 */
#ifndef BANNED_H
#define BANNED_H

/* Their own declarations come first: afterwards the names are poison. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat stpcpy sprintf vsprintf
#pragma GCC poison strtok atoi atol atoll atof
#pragma GCC poison gmtime localtime asctime ctime

#endif
