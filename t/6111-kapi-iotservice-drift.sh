#!/bin/bash
# What t/9120-iotservice-drift.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9120-iotservice-drift.sh"
