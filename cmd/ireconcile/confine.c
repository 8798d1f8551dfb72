#include "confine.h"

#include "process/log.h"
#include "process/sandbox.h"
#include "process/sandboxopt.h"
#include "program/calls.h"
#include "program/program.h"

int
confine_self(struct err *err)
{
	switch (
	    sandbox_enter(calls_main, (enum sandbox_mode)sandbox_opt, err)) {
	case SANDBOX_FAILED:
		return -1;
	case SANDBOX_NONE:
		log_warning("%s", err->message);
		break;
	case SANDBOX_OFF:
	case SANDBOX_ON:
		break;
	}
	return 0;
}

/* Perhaps the other processes did not start because there is no sandbox: then
 * the error of our own sandbox says why. */
int
confine_programs(struct err *err)
{
	struct err own = ERR_INIT;

	if (program_start((enum sandbox_mode)sandbox_opt, err) == 0)
		return 0;
	if (confine_self(&own) != 0)
		*err = own;
	return -1;
}
