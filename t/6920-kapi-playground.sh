#!/bin/bash
# What t/9050-playground.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9050-playground.sh"
