# part STEP...: what is at the end of a way into JSON; a text without its quotes. With `join TEXT`
# the items of a list are put together.
part() {
    awk '
function blank() { while (substr(s, p, 1) ~ /[ \t\r\n]/) p++ }
function text(   out, c) {
    for (p++; (c = substr(s, p, 1)) != "\"" && c != ""; p++) {
        if (c == "\\") { p++; c = substr(s, p, 1); if (c == "n") c = "\n"; if (c == "t") c = "\t" }
        out = out c
    }
    p++; return out
}
function skip(   c, depth) {
    blank()
    do {
        c = substr(s, p, 1)
        if (c == "\"") text()
        else if (c ~ /[[{]/) { depth++; p++ }
        else if (c ~ /[]}]/) { depth--; p++ }
        else if (depth) p++
        else while (substr(s, p, 1) ~ /[^],}:"[{ \t\r\n]/) p++
    } while (depth > 0 && p <= length(s))
}
function item(   start) {
    blank(); start = p
    if (substr(s, p, 1) == "\"") return text()
    skip(); return substr(s, start, p - start)
}
function next_one() { blank(); if (substr(s, p++, 1) != ",") exit 1 }
BEGIN {
    while ((getline line < "-") > 0) s = s (s == "" ? "" : "\n") line
    p = 1
    for (at = 1; at < ARGC; at++) {
        blank(); c = substr(s, p++, 1)
        if (ARGV[at] == "join" && at == ARGC - 2) {
            if (c != "[") exit 1
            for (blank(); substr(s, p, 1) != "]"; blank()) {
                if (some++) next_one()
                out = out (some > 1 ? ARGV[at + 1] : "") item()
                if (p > length(s)) exit 1
            }
            printf "%s", out; exit 0
        }
        if (c == "[") {
            if (ARGV[at] !~ /^[0-9]+$/) exit 1
            for (n = ARGV[at]; n > 0; n--) { skip(); next_one() }
            blank(); if (substr(s, p, 1) == "]") exit 1
        } else if (c == "{") {
            while (1) {
                blank(); if (substr(s, p, 1) != "\"") exit 1
                key = text(); blank(); p++
                if (key == ARGV[at]) break
                skip(); next_one()
            }
        } else exit 1
    }
    printf "%s", item()
}' "$@"
}
