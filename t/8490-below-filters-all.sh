#!/bin/bash
# 8480-below-filters.sh with every fault, at many calls of each.
# check-all: long faults
BELOW=all exec "${0%/*}/8480-below-filters.sh"
