#!/usr/bin/env bash
# The step of action.yml that writes the Markdown report as a comment on the pull request. The
# comment of an earlier run is replaced, so that there is one. It talks to GitHub through `gh` only.
set -euo pipefail

case ${ACTION_PULL_REQUEST:-} in
  "" | *[!0-9]*)
    echo "::error title=mcplock::there is no pull request to comment on"
    exit 2
    ;;
esac

comments="repos/$GITHUB_REPOSITORY/issues/$ACTION_PULL_REQUEST/comments"
# The report begins with this mark. A comment of anyone else that holds it is left alone.
mine='.[] | select(.user.type == "Bot" and (.body | startswith("<!-- mcplock -->"))) | .id'
old=$(gh api --paginate "$comments" --jq "$mine" | head -n 1)
if [ -n "$old" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$old" -F "body=@$ACTION_MARKDOWN"
else
  gh api --silent --method POST "$comments" -F "body=@$ACTION_MARKDOWN"
fi
