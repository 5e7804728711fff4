#!/usr/bin/env bash
# Makes the folder of the notes.
set -eu
mkdir -p "$FOLDER"
