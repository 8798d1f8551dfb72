#include "serve.h"

#include "base/array.h"
#include "tap.h"

#define OPEN "application/openmetrics-text"

static const struct {
	const char *accept;
	bool open;
} cases[] = {
    {NULL, false},
    {"", false},
    {"*/*", false},
    {"text/plain", false},
    {OPEN, true},
    {"APPLICATION/OpenMetrics-Text", true},
    {OPEN "x", false},
    {"x" OPEN, false},
    {OPEN ";version=1.0.0;escaping=allow-utf-8;q=0.5,"
	  "application/openmetrics-text;version=0.0.1;q=0.4,"
	  "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
	true},
    /* The greater weight, of each the greatest; of equal ones OpenMetrics. */
    {OPEN ",text/plain", true},
    {"text/plain," OPEN, true},
    {OPEN ";q=0.3,text/plain;q=0.4", false},
    {OPEN ";q=0.3,text/plain", false},
    {OPEN ";q=0.3,text/plain;q=0.2," OPEN ";q=0.1", true},
    {OPEN ";q=0.002,text/plain;q=0.001", true},
    {"text/plain;q=0.5;x=y , " OPEN " ; x=y ; Q = 0.6", true},
    {",, ," OPEN ",,", true},
    /* Not wanted. */
    {OPEN ";q=0", false},
    {OPEN ";q=0.000", false},
    {OPEN ";q=1.000", true},
    {OPEN ";q=1.", true},
    {OPEN ";q=0.", false},
    /* No weights. */
    {OPEN ";q", false},
    {OPEN ";q=", false},
    {OPEN ";q=;q=1", false},
    {OPEN ";q=x", false},
    {OPEN ";q=-1", false},
    {OPEN ";q=+1", false},
    {OPEN ";q=2", false},
    {OPEN ";q=1.001", false},
    {OPEN ";q=.5", false},
    {OPEN ";q=0,5", false},
    {OPEN ";q=0.5x", false},
    {OPEN ";q=0.5000", false},
    {OPEN ";q=1e0", false},
    {OPEN ";q=0x1", false},
    {OPEN ";q=inf", false},
    {OPEN ";q=nan", false},
    {OPEN ";q=1e99999", false},
    {"text/plain;q=inf," OPEN ";q=0.1", true},
    {"text/plain;q=nan," OPEN ";q=0.1", true},
};

int
main(void)
{
	for (size_t i = 0; i < COUNT(cases); i++)
		ok(serve_is_openmetrics(span_str(cases[i].accept)) ==
			cases[i].open,
		    cases[i].accept != NULL ? cases[i].accept : "no header");
	ok(!serve_is_openmetrics(span_make(OPEN ";q=1\0", sizeof(OPEN) + 4)),
	    "a weight with a zero byte");
	return tap_done();
}
