#!/usr/bin/env python3
"""Between the conformance suite of OASIS for TOSCA 2.0 and `windlass check`.

    oasis_wrapper.py FILE

The suite starts one wrapper for each processor, with the path of a TOSCA file, and looks at its
exit code: 0 for a file that was accepted, 1 for one that is no valid TOSCA, 3 for one that cannot be
read, 99 for anything else; 101 and 102 say that the wrapper was called wrongly. What the processor
printed goes to standard output as JSON. WINDLASS names the program.
"""

import json
import os
import subprocess
import sys

ACCEPTED, INVALID, UNREADABLE, UNKNOWN, USAGE, NO_FILE = 0, 1, 3, 99, 101, 102

# Exit codes of `windlass check`, with the answer and the word for each.
ANSWERS = {0: (ACCEPTED, ""), 1: (INVALID, "InvalidTOSCA"), 2: (UNREADABLE, "CannotReadFile")}


def main(arguments):
    if len(arguments) != 1:
        print("usage: oasis_wrapper.py FILE", file=sys.stderr)
        return USAGE
    file = arguments[0]
    if not os.path.isfile(file):
        print(f"{file} is no file", file=sys.stderr)
        return NO_FILE
    command = [os.environ.get("WINDLASS", "windlass"), "check", "--", file]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    code, reason = ANSWERS.get(ended.returncode, (UNKNOWN, "Unknown"))
    answer = {
        "wrapper": {
            "executedCommand": command,
            "success": code == ACCEPTED,
            "error": code != ACCEPTED,
            "errorReason": reason,
        },
        "processorResult": {
            "stdout": ended.stdout,
            "stderr": ended.stderr,
            "return_code": ended.returncode,
        },
    }
    print(json.dumps(answer, indent=2))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
