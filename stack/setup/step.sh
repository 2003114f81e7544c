# Runs the steps of the set-up, some in parallel, and shows their progress. Ctrl-C stops all of them.

tools="$root/.local/tools"
logs="$root/.local/logs"
step_job=
# Process ids of running lanes; empty inside a lane.
lanes=
in_lane=

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# has_pin FOLDER PIN: true if the folder was completed with this pin.
has_pin() { [ -f "$1/.stamp" ] && [ "$(cat "$1/.stamp")" = "$2" ]; }

# has_python FOLDER PIN: the same for a virtual environment. An upgrade of the system may remove its Python, so it must
# exist too.
has_python() { has_pin "$1" "$2" && [ -x "$1/bin/python" ]; }

# say_line LINE: replaces the progress line on a terminal.
say_line() {
  ! [ -t 1 ] || printf '\r\033[K'
  say "$1"
}

# Every step runs in its own process group, so that its children (maven's java, npm's scripts) end with it.
stop_step() {
  local code=$1
  trap '' INT TERM HUP
  if [ -n "$step_job" ]; then
    kill -TERM -- "-$step_job" 2>/dev/null || true
    local n=0
    while kill -0 -- "-$step_job" 2>/dev/null && [ "$n" -lt 30 ]; do
      sleep 0.1
      n=$((n + 1))
    done
    kill -KILL -- "-$step_job" 2>/dev/null || true
  fi
  local lane
  for lane in $lanes; do kill -TERM "$lane" 2>/dev/null || true; done
  for lane in $lanes; do wait "$lane" 2>/dev/null || true; done
  [ -z "$in_lane" ] || exit "$code"
  printf '\nStopped. Run make again to continue.\n' >&2
  exit "$code"
}
trap 'stop_step 129' HUP
trap 'stop_step 130' INT
trap 'stop_step 143' TERM

size_mb() { du -sm "$1" 2>/dev/null | cut -f1 || true; }

shows_progress() { [ -t 1 ] && [ -z "$in_lane" ]; }

# step NAME TITLE WATCHED COMMAND...: runs COMMAND with its output in .local/logs/setup-NAME.log. A terminal shows the
# elapsed time and the size of the folder WATCHED, unless other steps run in parallel.
step() {
  local name=$1 title=$2 watched=$3 log="$logs/setup-$1.log" began=$SECONDS code=0
  shift 3
  mkdir -p "$logs"
  shows_progress || say_line "  $title ..."
  set -m
  ("$@") >"$log" 2>&1 </dev/null &
  step_job=$!
  set +m
  if shows_progress; then
    while kill -0 "$step_job" 2>/dev/null; do
      printf '\r\033[K  %s ... %s s, %s MB' "$title" "$((SECONDS - began))" "$(size_mb "$watched")"
      sleep 0.3
    done
  fi
  wait "$step_job" || code=$?
  step_job=
  if [ "$code" -ne 0 ]; then
    ! [ -t 1 ] || printf '\r\033[K'
    tail -n 20 "$log" >&2
    fail "$title failed with exit code $code. See the output in $log, then run make again."
  fi
  say_line "  $title: done, $(size_mb "${watched%.partial}") MB, $((SECONDS - began)) s"
}

# together LANE...: runs functions in parallel, each with its steps in sequence. A failed lane does not stop the others.
together() {
  local lane began=$SECONDS failed=
  for lane; do
    (
      lanes= in_lane=yes
      trap 'stop_step 143' TERM
      "$lane"
    ) &
    lanes="$lanes $!"
  done
  if [ -t 1 ]; then
    for lane in $lanes; do
      while kill -0 "$lane" 2>/dev/null; do
        printf '\r\033[K  %s s' "$((SECONDS - began))"
        sleep 0.3
      done
    done
    printf '\r\033[K'
  fi
  for lane in $lanes; do wait "$lane" || failed=yes; done
  lanes=
  [ -z "$failed" ] || exit 1
}

# install_folder FOLDER PIN COMMAND...: COMMAND fills an empty temporary folder, its last argument. The folder is renamed
# to FOLDER when it is complete, so an interrupted set-up never leaves a partial tool.
install_folder() {
  local folder=$1 pin=$2 partial="$1.partial"
  shift 2
  rm -rf "$partial"
  mkdir -p "$partial"
  "$@" "$partial"
  printf '%s\n' "$pin" >"$partial/.stamp"
  rm -rf "$folder"
  mv "$partial" "$folder"
}
