#!/bin/bash
# Beside each other on a node: the life of IoTService by its chart, the chapter of
# README.md about a Pod, memory limits that are too low, what a Pod finds, and an
# operator without an image of its own.
# check-all: a kubelet
[ -n "${NODE_REGISTRY:-}" ] || "${0%/*}/helm/build" >/dev/null 2>&1
IMAGES="iotservice memcached"
# shellcheck source=node/lib.sh
. "${0%/*}/node/lib.sh"
together "life iotservice chart" readme memory pod program
done_testing
