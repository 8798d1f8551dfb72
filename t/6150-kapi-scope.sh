#!/bin/bash
# What t/9150-scope.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9150-scope.sh"
