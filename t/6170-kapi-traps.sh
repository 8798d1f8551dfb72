#!/bin/bash
# What t/9530-traps.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9530-traps.sh"
