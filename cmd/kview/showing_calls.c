#include "showing_calls.h"

#include <stddef.h>

#include "access/access_calls.h"

const struct sandbox_rule *const showing_calls[] = {
    sandbox_compute, sandbox_descriptors, access_serve, NULL};
const struct sandbox_rule *const showing_calls_ask[] = {sandbox_compute,
    sandbox_descriptors, access_serve, access_read, access_ask, NULL};
