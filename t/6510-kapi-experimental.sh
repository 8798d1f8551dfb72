#!/bin/bash
# What t/9510-experimental.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9510-experimental.sh"
