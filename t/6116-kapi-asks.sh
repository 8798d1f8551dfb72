#!/bin/bash
# What t/9516-asks.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9516-asks.sh"
