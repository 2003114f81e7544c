#!/usr/bin/env bash
# Removes the data and outputs of the embedded stack. Installed tools stay; to remove them, delete .local.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [ -f .local/pids ]; then
  while read -r pid _ name; do
    if [ "$name" = launcher ] && kill -0 "$pid" 2>/dev/null; then
      echo "A stack is running (process $pid). Stop it first." >&2
      exit 1
    fi
  done <.local/pids
fi
rm -rf .local/data .local/servers .local/compile-cache .local/test-servers .local/logs .local/pids .local/stack.json out
echo 'Removed the data, the logs and out/.'
