/*
 * mem: allocation that cannot fail visibly.
 *
 * The tools are crash-only: the cluster holds all state, kpipe restarts the
 * pipeline. So a process without memory says so on stderr and exits 111
 * (transient) at once, and callers need no error paths that are never taken.
 * Input is bounded elsewhere, by the limits of its reader.
 */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>

/* All return owned memory, never NULL; n == 0 is allowed. Free with free(). */
void *mem_alloc(size_t n);
void *mem_zalloc(size_t n);
void *mem_realloc(void *p, size_t n);
void *mem_array(void *p, size_t count, size_t size);
/*
 * Room in p for one more element behind count of them: for lists that grow at
 * their end. Doubles where count is a power of two: so the capacity need not be
 * stored, and every element must be added by this function.
 */
void *mem_grow(void *p, size_t count, size_t size);
char *mem_dup(const void *p, size_t n); /* adds a terminating NUL */
char *mem_strdup(const char *s);	/* NULL gives NULL */
/* setenv, which replaces. */
void mem_setenv(const char *name, const char *value);
/* Ends the process, as all of these do without memory: for what a library
 * allocates. The argument is not used, so that it can be a handler of one. */
_Noreturn void mem_exhausted(void *arg);
/* Overwrites a secret, and frees it. NULL: nothing. */
void mem_wipe(char *text);

#endif
