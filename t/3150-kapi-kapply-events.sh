#!/bin/bash
# What t/9350-kapply-events.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9350-kapply-events.sh"
