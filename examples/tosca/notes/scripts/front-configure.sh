#!/usr/bin/env bash
# The store has to be there already.
set -eu
test -e "$STORE/open"
