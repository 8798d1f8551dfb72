#!/bin/bash
# What t/9140-iotservice-scopes.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9140-iotservice-scopes.sh"
