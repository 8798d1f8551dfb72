#!/bin/bash
# What t/9145-iotservice-adopt.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9145-iotservice-adopt.sh"
