#!/bin/bash
# 8482-below-network.sh with every fault, at many calls of each.
# check-all: long faults
BELOW=all exec "${0%/*}/8482-below-network.sh"
