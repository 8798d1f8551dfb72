#!/bin/bash
# 8484-below-kpipe.sh with every fault, at many calls of each.
# check-all: long faults
BELOW=all exec "${0%/*}/8484-below-kpipe.sh"
