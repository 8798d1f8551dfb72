/*
 * platform: where kpipe can be built (doc/portability.md). The build includes
 * this before everything else: on another platform it ends here, with a reason.
 */
#ifndef PLATFORM_H
#define PLATFORM_H

#if !defined(__linux__)
#error "kpipe needs Linux: it uses epoll, signalfd, pidfd and memfd"
#elif __SIZEOF_POINTER__ != 8 || !defined(__SIZEOF_INT128__)
#error "kpipe needs a 64-bit CPU: it uses __int128 and 64-bit atomics"
#elif __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "kpipe needs a little-endian CPU: no other was ever tested"
#else
#include <features.h>
#if !defined(__GLIBC__)
#error "kpipe needs the GNU C library (glibc), 2.34 or later: not musl"
#elif !__GLIBC_PREREQ(2, 34)
#error "kpipe needs the GNU C library (glibc) 2.34 or later"
#endif
#endif

#endif
