#include "value/dnsname.h"

bool
dnsname_is_label(struct span s)
{
	if (s.n == 0 || s.p[0] == '-' || s.p[s.n - 1] == '-')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!span_is_lower(s.p[i]) && !span_is_digit(s.p[i]) &&
		    s.p[i] != '-')
			return false;
	return true;
}

bool
dnsname_is_subdomain(struct span s)
{
	if (s.n == 0)
		return false;
	while (s.p != NULL)
		if (!dnsname_is_label(span_cut(&s, '.')))
			return false;
	return true;
}
