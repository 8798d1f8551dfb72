#include "showing_calls.h"

#include <stddef.h>

static const struct sandbox_rule own[] = {
    SANDBOX_ALLOW("accept4 accept recvfrom sendto recvmsg sendmsg shutdown"),
    SANDBOX_ALLOW("getsockname getpeername getsockopt setsockopt"),
    SANDBOX_END};

const struct sandbox_rule *const showing_calls[] = {
    sandbox_compute, sandbox_descriptors, own, NULL};
