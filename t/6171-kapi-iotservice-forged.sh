#!/bin/bash
# What t/9171-iotservice-forged.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9171-iotservice-forged.sh"
