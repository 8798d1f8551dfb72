#!/bin/bash
# What t/9021-dry-run.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9021-dry-run.sh"
