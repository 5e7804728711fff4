#!/usr/bin/env bash
# Says farewell.
set -eu
echo "front stopped"
