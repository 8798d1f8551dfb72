#!/bin/bash
# What t/9130-iotservice-deletion.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9130-iotservice-deletion.sh"
