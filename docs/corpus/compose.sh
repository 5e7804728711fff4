#!/bin/sh
# Draws, plans and proves real Compose files, and writes the table of docs/corpus/compose.md.
#
#   docs/corpus/compose.sh FOLDER > docs/corpus/compose.md
#
# FOLDER holds the repositories; the files are the first 50, by path, that have a name which Compose
# looks for, that `check` accepts and that have at least two services. WINDLASS names the program.
set -eu
windlass=${WINDLASS:-windlass}
folder=$1
cd "$folder"
table=$(mktemp)
stuck=$(mktemp)
trap 'rm -f "$table" "$stuck"' EXIT
count=0
drawn=0
planned=0
proved=0
for file in $(find docker_awesome-compose dockersamples_example-voting-app \
    microservices-demo_microservices-demo spring-petclinic_spring-petclinic-microservices \
    docker_compose -name 'compose.y*ml' -o -name 'docker-compose.y*ml' | LC_ALL=C sort); do
    [ "$count" -lt 50 ] || break
    plan=$("$windlass" plan "$file" --format json 2>/dev/null) || plan=
    "$windlass" check "$file" >/dev/null 2>&1 || continue
    services=$(awk '/^services:/ { on = 1; next } /^[^ #]/ { on = 0 } on && /^  [A-Za-z0-9_.-]+:/' "$file" | wc -l)
    [ "$services" -ge 2 ] || continue
    count=$((count + 1))
    if "$windlass" show "$file" --as svg >/dev/null 2>&1; then drawn=$((drawn + 1)); fi
    length=$(printf '%s' "$plan" | sed -n 's/^  "length": \([0-9]*\).*/\1/p')
    if [ -n "$length" ]; then planned=$((planned + 1)); fi
    word=$("$windlass" prove "$file" --format json 2>/dev/null |
        sed -n 's/^  "verdict": "\([a-z_]*\)".*/\1/p') || :
    if [ "$word" = always_completes ]; then proved=$((proved + 1)); fi
    printf '| `%s` | %s | %s | %s |\n' "$file" "$services" "${length:-none}" \
        "$(printf '%s' "$word" | tr '_' ' ')" >>"$table"
done
# Whatever else the folder holds, test files of Compose included: which of it can get stuck?
asked=0
for file in $(find . -name '*.y*ml' | sed 's|^\./||' | LC_ALL=C sort); do
    word=$("$windlass" prove "$file" --lang compose --format json 2>/dev/null |
        sed -n 's/^  "verdict": "\([a-z_]*\)".*/\1/p') || :
    [ -n "$word" ] || continue
    asked=$((asked + 1))
    [ "$word" != always_completes ] || continue
    why=$("$windlass" prove "$file" --lang compose 2>/dev/null |
        sed -n '/^Then:/,/^$/{/^Then:/d;/^$/d;s/^ *//;p;}' | tr '\n' ';' | sed 's/;$//; s/;/; /g') || :
    printf -- '- `%s`: %s\n' "$file" "$why" >>"$stuck"
done
cat <<END
# Fifty Compose files of real projects

Written by \`docs/corpus/compose.sh\`: $drawn of $count drawn, $planned planned, $proved proved to always
complete. The length of a plan counts the start and the end of each operation, and each container.

## Those that can get stuck

Of all $asked files of the corpus that have an application, test files of Compose included:

$(cat "$stuck")

## All

| file | services | length of the plan | verdict |
|---|---|---|---|
$(cat "$table")
END
