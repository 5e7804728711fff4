#!/usr/bin/env bash
# Throws the notes away.
set -eu
rm -r "$FOLDER"
