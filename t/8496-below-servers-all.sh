#!/bin/bash
# 8486-below-servers.sh with every fault, at many calls of each.
# check-all: long faults
BELOW=all exec "${0%/*}/8486-below-servers.sh"
