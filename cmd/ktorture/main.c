/* ktorture: tries an operator under every fault. */
#include "base/err.h"
#include "process/opt.h"

static const struct opt table[] = {OPT_END};
static const struct opt_tool tool = {
    "ktorture", "[OPTION]...", "Try an operator under every fault.", table};

static int
run(int operands, char **operand, struct err *err)
{
	(void)operands;
	(void)operand;
	return err_set(err, ERR_PERMANENT, "there is nothing to play yet");
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
