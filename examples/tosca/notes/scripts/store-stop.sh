#!/usr/bin/env bash
# Closes the store.
set -eu
rm "$FOLDER/open"
