#include "http_calls.h"

#include <stddef.h>

#include "access/access_calls.h"

const struct sandbox_rule *const http_calls_serve[] = {
    sandbox_compute, sandbox_descriptors, access_serve, access_read, NULL};
const struct sandbox_rule *const http_calls_ask[] = {sandbox_compute,
    sandbox_descriptors, access_serve, access_read, access_ask, NULL};
