#include "process/sandboxopt.h"

#include <stddef.h>

int sandbox_opt;

/* In the order of enum sandbox_mode. */
static const char *const modes[] = {"auto", "required", "off", NULL};

const struct opt sandbox_opt_table[] = {
    {0, "sandbox", "MODE", OPT_CHOICE, &sandbox_opt, modes,
	"auto (warn if there can be none), required, or off"},
    OPT_END};
