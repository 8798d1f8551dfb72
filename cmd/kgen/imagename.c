#include "imagename.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { REPOSITORY_MAX = 255, IMAGE_MAX = 512 };

/* Extended regular expressions of POSIX, as the specifications have them. */
#define COMPONENT "[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*"
/* The first of several parts may be a host, which has a dot or a port. */
#define WITH_DOT "[A-Za-z0-9][A-Za-z0-9.-]*\\.([A-Za-z0-9.-]*[A-Za-z0-9])"
#define WITH_PORT "[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?:[0-9]{1,5}"
#define HOST "(" WITH_DOT "|" WITH_PORT ")/"
#define REPOSITORY "((" HOST ")?" COMPONENT "(/" COMPONENT ")*)"
#define TAG "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
#define DIGEST "sha256:[0-9a-f]{64}"
#define NUMBER "(0|[1-9][0-9]*)"
#define SUFFIX "[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*"

/* The first group, if there is one, has at most so many bytes. */
static bool
matches(const char *expression, struct span s, int group_max)
{
	char *text = mem_dup(s.p, s.n);
	regmatch_t groups[2];
	regex_t re;
	int found;

	/* Our expressions are right: only memory may be missing. The C library
	 * says of that, in regexec, that nothing was found. */
	errno = 0;
	if (regcomp(&re, expression, REG_EXTENDED) != 0)
		mem_exhausted(NULL);
	found = regexec(&re, text, 2, groups, 0);
	if (found != 0 && errno == ENOMEM)
		mem_exhausted(NULL);
	if (found == 0 &&
	    (strlen(text) != s.n ||
		groups[1].rm_eo - groups[1].rm_so > group_max))
		found = REG_NOMATCH;
	regfree(&re);
	free(text);
	return found == 0;
}

bool
imagename_is_repository(struct span s)
{
	return s.n <= REPOSITORY_MAX &&
	    matches("^" REPOSITORY "$", s, REPOSITORY_MAX);
}

bool
imagename_is_image(struct span s)
{
	return s.n <= IMAGE_MAX &&
	    matches(
		"^" REPOSITORY "(:" TAG ")?(@" DIGEST ")?$", s, REPOSITORY_MAX);
}

bool
imagename_is_version(struct span s)
{
	return matches("^" NUMBER "\\." NUMBER "\\." NUMBER "(-" SUFFIX
		       ")?(\\+" SUFFIX ")?$",
	    s, (int)s.n);
}
