#!/usr/bin/env bash
# The step of action.yml that verifies. All that it knows comes from variables: the ACTION_… ones of
# action.yml, and RUNNER_TEMP, GITHUB_OUTPUT and GITHUB_STEP_SUMMARY of the runner.
set -euo pipefail

program=${ACTION_MCPLOCK:-$RUNNER_TEMP/mcplock/bin/mcplock}
reports=$(mktemp -d "$RUNNER_TEMP/mcplock-reports.XXXXXX")
arguments=(verify --format github)
arguments+=(--report "sarif=$reports/mcplock.sarif")
arguments+=(--report "markdown=$reports/mcplock.md")
arguments+=(--report "json=$reports/mcplock.json")
[ -z "${ACTION_LOCKFILE:-}" ] || arguments+=("--lockfile=$ACTION_LOCKFILE")
[ -z "${ACTION_FAIL_ON:-}" ] || arguments+=("--fail-on=$ACTION_FAIL_ON")

while IFS= read -r server; do
  # Leading and trailing blanks are no part of a name.
  server="${server#"${server%%[![:space:]]*}"}"
  server="${server%"${server##*[![:space:]]}"}"
  case $server in
    "") ;;
    -*)
      echo "::error title=mcplock::the input servers holds an option, not the name of a server"
      echo "exit-code=2" >>"$GITHUB_OUTPUT"
      exit 2
      ;;
    *) arguments+=("$server") ;;
  esac
done <<<"${ACTION_SERVERS:-}"

cd "${ACTION_FOLDER:-.}"
code=0
"$program" "${arguments[@]}" || code=$?

{
  echo "exit-code=$code"
  for report in sarif:mcplock.sarif markdown:mcplock.md json:mcplock.json; do
    # A run that ended before it had a report leaves the output empty.
    [ ! -s "$reports/${report#*:}" ] || echo "${report%%:*}=$reports/${report#*:}"
  done
} >>"$GITHUB_OUTPUT"
exit "$code"
