#!/bin/bash
# What t/9100-iotservice.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9100-iotservice.sh"
