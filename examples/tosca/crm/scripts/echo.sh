#!/usr/bin/env bash
# Says what would be done, and to which node.
echo "$STEP $WINDLASS_INSTANCE"
