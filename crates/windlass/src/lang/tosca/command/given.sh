# given FOLDER NAME: what an operation has left, of this instance, for all of its node, or of the
# first instance by number. The folder of a node is its name; that of an instance is in it.
given() {
    for file in "$kept/$1/$2" "$kept/${1%%/*}/$2"; do
        if [ -f "$file" ]; then cat "$file"; return; fi
    done
    [ "$1" != "$own" ] || return 1
    file=$(ls -d "$kept/$1"/*/"$2" 2>/dev/null |
        sed 's,.*-\([0-9][0-9]*\)/[^/]*$,\1 &,; t
            s,^,0 ,' | sort -n | head -n 1 | cut -d ' ' -f 2-)
    [ -n "$file" ] && cat "$file"
}
