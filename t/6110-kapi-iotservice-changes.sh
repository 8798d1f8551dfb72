#!/bin/bash
# What t/9110-iotservice-changes.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9110-iotservice-changes.sh"
