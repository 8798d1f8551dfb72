#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

void
mem_exhausted(void *arg)
{
	static const char text[] = "fatal: out of memory\n";
	ssize_t ignored = write(2, text, sizeof(text) - 1);

	(void)arg;
	(void)ignored;
	_exit(EXIT_TRANSIENT);
}

void *
mem_alloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (p == NULL)
		mem_exhausted(NULL);
	return p;
}

void *
mem_zalloc(size_t n)
{
	void *p = calloc(1, n ? n : 1);

	if (p == NULL)
		mem_exhausted(NULL);
	return p;
}

void *
mem_realloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (p == NULL)
		mem_exhausted(NULL);
	return p;
}

void *
mem_array(void *p, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size)
		mem_exhausted(NULL);
	return mem_realloc(p, count * size);
}

void *
mem_grow(void *p, size_t count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return p;
	return mem_array(p, count == 0 ? 1 : 2 * count, size);
}

char *
mem_dup(const void *p, size_t n)
{
	char *copy = mem_alloc(n + 1);

	if (n != 0)
		memcpy(copy, p, n);
	copy[n] = '\0';
	return copy;
}

char *
mem_strdup(const char *s)
{
	return s == NULL ? NULL : mem_dup(s, strlen(s));
}

void
mem_setenv(const char *name, const char *value)
{
	if (setenv(name, value, 1) != 0)
		mem_exhausted(NULL);
}

void
mem_wipe(char *text)
{
	if (text != NULL)
		explicit_bzero(text, strlen(text));
	free(text);
}
