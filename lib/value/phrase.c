#include "value/phrase.h"

#include <string.h>

const char *
phrase_quoted(const char *s)
{
	const char *at = s;

	if (*at != '"')
		return s;
	for (at++; *at != '\0' && *at != '"'; at++)
		if (*at == '\\' && at[1] != '\0')
			at++;
	return *at == '"' ? at + 1 : s;
}

const char *
phrase_text(const char *s, const char *text)
{
	size_t n = strlen(text);

	return strncmp(s, text, n) == 0 ? s + n : NULL;
}

const char *
phrase_pattern(const char *s, const char *pattern)
{
	for (; *pattern != '\0'; pattern++)
		if (*pattern == '*')
			s += strspn(s,
			    "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-");
		else if (*s++ != *pattern)
			return NULL;
	return s;
}
