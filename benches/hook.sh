#!/usr/bin/env bash
# The peer of `benches/hook.rs`: what the hooks do, as a script with jq and awk over the published index, or over
# the pattern file as older hooks do. It does less: no score, no
# budget of tokens, no goal, and a pattern's text is only kept from closing its block.
#
# hook.sh subagent-start|pre-tool-use injection.tsv|org-patterns.toon STATE-FOLDER < PAYLOAD
set -euo pipefail
hook=$1 patterns=$2 state=$3
most=15
[ "$hook" != pre-tool-use ] || most=10

IFS=$'\t' read -r session agent type folder tool command path < <(
    jq -r '[.session_id, .agent_id // "session", .agent_type // "main", .cwd, .tool_name // "", .tool_input.command // "",
            .tool_input.file_path // ""] | map(gsub("[\t\n]"; " ") | if . == "" then "-" else . end) | @tsv')
[ -f "$patterns" ] || exit 0
url=$(git -C "$folder" config --get remote.origin.url || true)
repo=$(basename "${url:-$folder}" .git)
memory="$state/$session-$agent"
touch "$memory"

block=$(awk -v hook="$hook" -v short="${type##*:}" -v full="$type" -v repo="$repo" -v tool="$tool" -v command="$command" \
    -v path="$path" -v memory="$memory" '
function cells(line,    count, place, letter, quoted, cell) {
    count = 0; cell = ""; quoted = 0
    for (place = 1; place <= length(line); place++) {
        letter = substr(line, place, 1)
        if (letter == "\\" && quoted) { place++; cell = cell substr(line, place, 1) }
        else if (letter == "\"") quoted = !quoted
        else if (letter == "," && !quoted) { row[++count] = cell; cell = "" }
        else cell = cell letter
    }
    row[++count] = cell
    return count
}
function is_for(names,    list, count, place) {
    if (names == "*" || names == "") return 1
    count = split(names, list, between)
    for (place = 1; place <= count; place++) if (list[place] == short || list[place] == full || list[place] == "*") return 1
    return 0
}
function is_beside(text, summary,    place, words, count) {
    for (place = 1; place <= tags; place++) if (index(text, tag[place])) return 1
    if (tool != "Bash") return 0
    count = split(summary, words, /[^a-z0-9]+/)
    for (place = 1; place <= count; place++) if (length(words[place]) > 3 && index(lowered, words[place])) return 1
    return 0
}
BEGIN {
    index_file = ARGV[1] ~ /tsv$/; between = "|"
    if (index_file) { FS = "\t"; between = "\037"; split("1 2 22 3 13 14 4 9 10 6", column, " ") }
    rank["mistake"] = 0; rank["convention"] = 1; rank["pattern"] = 2; rank["insight"] = 3
    sure["high"] = 0; sure["medium"] = 1; sure["low"] = 2
    list = tool == "Bash" ? "build test validation python cli monorepo turborepo code" \
        : "react components typescript editing design-system hooks styling radix-ui enums usememo grouping precision line-numbers"
    if (path ~ /\.py$/) list = list " python"
    if (path ~ /\.(ts|js)$/) list = list " javascript typescript"
    tags = split(list, tag, " "); lowered = tolower(command)
    while ((getline id < memory) > 0) seen[id] = 1
}
index_file { if (FNR > 2) for (at = 1; at <= 10; at++) row[at] = $column[at] }
!index_file && /^  / { sub(/^  /, ""); if (cells($0) < 10) next }
index_file ? FNR > 2 : !/^patterns/ {
    if ((row[10] != "*" && row[10] != "" && row[10] != repo) || row[7] ~ /PRUNE/ || !is_for(row[8])) next
    if (hook == "pre-tool-use" && (row[1] in seen || !is_beside(tolower(row[3] " " row[9]), tolower(row[3])))) next
    gsub(/<\//, "< /", row[3])
    flag = row[7] == "" || hook == "pre-tool-use" ? "" : " " row[7]
    printf "%d\t%d\t%d\t%s\t[%s] %s%s\n", rank[row[2]], sure[row[4]], NR, row[1], row[4], row[3], flag
}' "$patterns" | sort -t"$(printf '\t')" -k1,1n -k2,2n -k3,3n | sed -n "1,$most"p)
[ -n "$block" ] || exit 0
cut -f4 <<<"$block" >>"$memory"
lines=$(cut -f5- <<<"$block")
if [ "$hook" = pre-tool-use ]; then
    text=$(printf '<tool-learnings tool="%s">\n%s\n</tool-learnings>\n' "$tool" "$lines") event=PreToolUse
else
    text=$(printf '<organization-learnings>\n%s\n</organization-learnings>\n' "$lines") event=SubagentStart
fi
jq -cn --arg event "$event" --arg text "$text" '{hookSpecificOutput: {hookEventName: $event, additionalContext: $text}}'
