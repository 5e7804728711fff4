#!/bin/sh
# Proves real TOSCA services, and writes the table of docs/corpus/tosca-proved.md.
#
#   docs/corpus/tosca.sh FOLDER > docs/corpus/tosca-proved.md
#
# FOLDER holds the repositories; the files are the first 50, by path, with node templates that require
# something, that `check` accepts and for which `prove` has a verdict. All others with a verdict are
# asked whether they can get stuck. WINDLASS names the program.
set -eu
windlass=${WINDLASS:-windlass}
cd "$1"
table=$(mktemp)
stuck=$(mktemp)
trap 'rm -f "$table" "$stuck"' EXIT
count=0
proved=0
asked=0
for file in $(find . -name '*.yaml' -o -name '*.yml' -o -name '*.tosca' | sed 's|^\./||' | LC_ALL=C sort); do
    grep -q 'node_templates:' "$file" || continue
    "$windlass" check "$file" >/dev/null 2>&1 || continue
    word=$("$windlass" prove "$file" --format json 2>/dev/null |
        sed -n 's/^  "verdict": "\([a-z_]*\)".*/\1/p') || :
    [ -n "$word" ] || continue
    asked=$((asked + 1))
    if [ "$word" != always_completes ]; then
        why=$("$windlass" prove "$file" 2>/dev/null |
            sed -n '/^Then:/,/^$/{/^Then:/d;/^$/d;s/^ *//;p;}' | tr '\n' ';' |
            sed 's/;$//; s/;/; /g') || :
        printf -- '- `%s`: %s\n' "$file" "$why" >>"$stuck"
    fi
    [ "$count" -lt 50 ] || continue
    grep -q '^ *requirements:' "$file" || continue
    count=$((count + 1))
    if [ "$word" = always_completes ]; then proved=$((proved + 1)); fi
    printf '| `%s` | %s |\n' "$file" "$(printf '%s' "$word" | tr '_' ' ')" >>"$table"
done
cat <<END
# Fifty TOSCA services

Written by \`docs/corpus/tosca.sh\`: $proved of $count proved to always complete.

## Those that can get stuck

Of all $asked files of the corpus that have an application:

$(if [ -s "$stuck" ]; then cat "$stuck"; else echo 'None.'; fi)

## All

| file | verdict |
|---|---|
$(cat "$table")
END
