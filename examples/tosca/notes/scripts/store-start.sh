#!/usr/bin/env bash
# Opens the store and says where it is.
set -eu
touch "$FOLDER/open"
echo "address=$PWD/$FOLDER" >> "$TOSCA_OUTPUTS"
