#include "access/access_calls.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define INT_BITS UINT64_C(0xffffffff)

/* Flags that write, create or truncate; O_TMPFILE without O_DIRECTORY, which is
 * also set when a directory is read. */
#define WRITES \
	((uint64_t)(O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY)))

/* Connections of a socket that it has. */
static const struct sandbox_rule connections[] = {
    SANDBOX_ALLOW("accept4 accept recvfrom sendto recvmsg sendmsg shutdown"),
    SANDBOX_ALLOW("getsockname getpeername getsockopt setsockopt"),
    SANDBOX_END};

/* /proc, the certificate and the token when they change, those of the resolver.
 * Name services from libraries that are not loaded yet (other than files and dns
 * of the C library) do not work, because code cannot be mapped. */
static const struct sandbox_rule files[] = {
    SANDBOX_WHERE("openat", 2, WRITES, 0), SANDBOX_WHERE("open", 1, WRITES, 0),
    SANDBOX_ALLOW("stat newfstatat fstatat64 statx getdents64 getppid"),
    SANDBOX_END};

/* libcurl looks up names in a thread. clone3 has its flags in memory, which a
 * filter cannot read. */
static const struct sandbox_rule requests[] = {
    SANDBOX_WHERE("socket", 0, INT_BITS, AF_INET),
    SANDBOX_WHERE("socket", 0, INT_BITS, AF_INET6),
    SANDBOX_ALLOW("connect bind sendmmsg socketpair pipe2 eventfd2"),
    SANDBOX_WHERE("ioctl", 1, INT_BITS, FIONBIO),
    SANDBOX_WHERE("ioctl", 1, INT_BITS, FIONREAD),
    SANDBOX_RULE("clone3", SANDBOX_ABSENT),
    SANDBOX_RULE("clone", SANDBOX_THREAD),
    SANDBOX_ALLOW("set_robust_list rseq uname access faccessat2"),
    SANDBOX_ALLOW("getuid geteuid getgid getegid"), SANDBOX_END};

const struct sandbox_rule *const access_serves[] = {
    sandbox_compute, sandbox_descriptors, connections, NULL};
const struct sandbox_rule *const access_serves_files[] = {
    sandbox_compute, sandbox_descriptors, connections, files, NULL};
const struct sandbox_rule *const access_asks[] = {
    sandbox_compute, sandbox_descriptors, connections, files, requests, NULL};
