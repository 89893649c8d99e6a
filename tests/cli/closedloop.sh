#!/bin/sh
# Makes a project as ClosedLoop leaves it: a repository, its work folder with logs of one run, and the pattern file of the home folder.
# Arguments: the home folder, the project's folder.
set -eu
home=$1 shop=$2
work=$shop/.closedloop-ai/work
mkdir -p "$home/.closedloop-ai/learnings" "$work/.learnings/pending" "$work/.learnings/sessions" "$work/.closedloop-ai" "$shop/src/api"
mkdir -p "$home/.claude/plugins/cache/closedloop/self-learning/1.2.2/.claude-plugin"
printf '{"name": "self-learning", "version": "1.2.2"}\n' > "$home/.claude/plugins/cache/closedloop/self-learning/1.2.2/.claude-plugin/plugin.json"
cat > "$home/.closedloop-ai/learnings/org-patterns.toon" <<'END'
# Organization Patterns (TOON format)
# Last updated: 2026-05-06T00:00:00Z

patterns[3]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:
  P-001,mistake,"Retry API calls with backoff",high,2,1.00,,*,api,*
  P-002,mistake,"Quote ""every"" variable, always",low,30,0.10,[PRUNE],*,shell,*
  P-003,insight,"Never touched by anybody here",medium,0,,[UNTESTED],*,x,*
END
cat > "$work/.learnings/outcomes.log" <<'END'
2026-05-06T10:00:00Z|20260506-100000-abcdef01|1|implementation-subagent|Retry API calls with backoff|applied|src/api/client.ts:5|0.5|default|reduce-failures|1|0.83|build_passed
2026-05-06T10:00:00Z|20260506-100000-abcdef01|1|plan-writer|Retry API calls with backoff|applied||0.5|default|reduce-failures|1|0.83
END
cat > "$work/runs.log" <<'END'
20260506-100000-abcdef01|2026-05-06T10:05:00Z|reduce-failures|1|completed|code|s1
END
cat > "$work/.learnings/acknowledgments.log" <<'END'
2026-05-06T10:00:00Z|20260506-100000-abcdef01|1|implementation-subagent|true|Retry API calls with backoff|LEARNINGS_ACKNOWLEDGED Applied: "Retry API calls with backoff" src/api/client.ts:5
END
cat > "$work/perf.jsonl" <<'END'
{"event":"iteration","run_id":"20260506-100000-abcdef01","iteration":1,"started_at":"2026-05-06T10:00:00Z","ended_at":"2026-05-06T10:04:00Z","duration_s":240,"claude_exit_code":0,"status":"completed"}
END
printf '{"what_happened":"The lock was held","pattern_to_remember":"Release the lock before waiting for others","applies_to":["*"]}\n' > "$work/.learnings/pending/implementation-subagent-7f3a.json"
mkdir -p "$work/.closedloop-ai/learnings"
cat > "$work/.closedloop-ai/learnings/org-patterns.json" <<'END'
{"patterns": [
  {"id": "P-001", "scope": "organization", "category": "mistake", "trigger": "backoff", "confidence": "high", "seen_count": 2, "success_rate": 1.0, "flags": "", "applies_to": ["*"], "summary": "Retry API calls with backoff"},
  {"id": "P-002", "scope": "organization", "category": "convention", "trigger": "time zones", "confidence": "high", "seen_count": 14, "success_rate": 0.93, "flags": "", "applies_to": ["*"], "summary": "Store every time in UTC and convert it when it is shown"}
]}
END
cat > "$work/.closedloop-ai/learnings/sources.json" <<'END'
{"patterns": {
  "P-001": {"source_project": "shop", "source_id": "P-001", "pushed_at": "2026-05-01T10:00:00Z", "pushed_by": "ann"},
  "P-002": {"source_project": "bank", "source_id": "P-007", "pushed_at": "2026-05-02T10:00:00Z", "pushed_by": "bob"}
}}
END
printf 'CLOSEDLOOP_SELF_LEARNING=true\n' > "$work/.closedloop-ai/config.env"
cd "$shop"
git init --quiet --initial-branch=main
seq 1 30 | sed 's/.*/step(&);/' > src/api/client.ts
git add src
git -c user.name=Ann -c user.email=ann@localhost -c commit.gpgsign=false commit --quiet --message start
