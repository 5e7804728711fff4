#!/usr/bin/env bash
# Writes the first note.
set -eu
echo "$GREETING" >> "$STORE/notes.txt"
