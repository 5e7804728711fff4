# remark TEXT: says something in the log, and to the engine of the run: each operation in a file of
# its own, because several may run at once.
remark() {
    printf '%s\n' "$1" >&2
    mkdir -p "$kept/remarks=" || return 0
    printf '%s\n' "$1" >> "$kept/remarks=/$(printf %s "$own" | tr / =)" || return 0
}
