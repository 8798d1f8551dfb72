#!/bin/bash
# What t/9370-marks-key.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9370-marks-key.sh"
