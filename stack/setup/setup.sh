#!/usr/bin/env bash
# Installs the tools that a target needs. Prints nothing if all are installed.
#   stack/setup/setup.sh code         the project's Node and packages (make check, make test-unit)
#   stack/setup/setup.sh servers      and ffmpeg, Kafka, the registry, the store (make demo, start, bench)
#   stack/setup/setup.sh everything   and what only tests need: a browser, an independent reader and verifier (make test)
#   stack/setup/setup.sh soak         and Toxiproxy (make soak)
#   stack/setup/setup.sh clients      or client generators (make test-clients)
# It asks for confirmation, except with YES=1, with CI=true, or without a terminal.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$root"
scope=${1:-servers}
long_proof=
case $scope in code | servers | everything) ;;
soak | clients) long_proof=$scope scope=everything ;;
*)
  echo "usage: stack/setup/setup.sh code|servers|everything|soak|clients" >&2
  exit 2
  ;;
esac
[ -z "${SUDO_UID:-}" ] || {
  echo "Run make without sudo. It asks for root only if it needs to install packages." >&2
  exit 1
}

# Use the system's Node, because the project's Node is not installed yet or is being replaced.
PATH=$(printf '%s' "$PATH" | tr ':' '\n' | grep -v -F -x "$root/node_modules/.bin" | paste -s -d : -)
export PATH

. stack/setup/step.sh
. stack/setup/pins.sh
. stack/setup/tools.sh
. stack/setup/packages.sh

if ! has_packages; then adopt_packages || true; fi

# plan: sets `todo` (tab-separated lines: key, title, MB to download, MB on disk, seconds).
tab=$(printf '\t')
todo=
add() { todo="$todo$1$tab$2$tab$3$tab$4$tab$5
"; }

debian=
while read -r package fetch_mb disk_mb; do
  [ -n "$package" ] || continue
  debian="$debian $package"
  add "package" "$package" "$fetch_mb" "$disk_mb" 8
done <<EOF
$(missing_packages)
EOF
debian=${debian# }

if ! has_packages; then
  if needs_bootstrap && ! has_pin "$tools/node" "$bootstrap_stamp"; then
    add node "Node $NODE_PIN to set up with" 60 210 15
  fi
  add packages "the project's packages and fonts (npm ci)" 425 1150 75
fi
if needs_kafka && ! has_pin "$tools/kafka" "$kafka_stamp"; then add kafka "Kafka $KAFKA_PIN" 45 45 20; fi
if needs_registry && ! has_pin "$tools/registry" "$registry_stamp"; then
  add registry "the schema registry, Apicurio $REGISTRY_PIN" 110 120 20
fi
if needs_archives && ! has_pin "$tools/class-archives" "$archives_stamp"; then
  add archives "class archives of Kafka and the registry" 0 110 20
fi
if needs_store && ! has_python "$tools/secantus" "$store_stamp"; then add store "the store, SecantusDB" 35 120 20; fi
if needs_reader && ! has_python "$tools/reader" "$reader_stamp"; then add reader "a second Kafka client, for the tests" 20 70 15; fi
if needs_generators && ! has_python "$tools/generators" "$generators_stamp"; then
  add generators "generators of clients, for the tests" 50 150 20
fi
if needs_verifier && ! has_pin "$tools/foreign-verifier" "$verifier_stamp"; then
  add verifier "a foreign verifier of proofs, for the tests" 1 3 40
fi
if needs_toxiproxy && ! has_pin "$tools/toxiproxy" "$toxiproxy_stamp"; then
  add toxiproxy "Toxiproxy, for faults of the network" 10 15 40
fi

if needs_dashboard && ! has_pin dashboard/dist "$dashboard_stamp"; then add dashboard "the dashboard, built" 0 2 5; fi

[ -n "$todo" ] || exit 0

say "The following tools will be installed:"
printf '%s' "$todo" | awk -F '\t' '
  { printf "  %-42s %4d MB to download, %4d MB on disk\n", $2, $3, $4; f += $3; d += $4; s += $5 }
  END { printf "  Total: about %d MB to download, %d MB on disk, %d to %d minutes with a fast connection.\n", f, d, (s < 60 ? 1 : s / 60 + 0.5), s / 20 + 1 }'

free_mb=$(df -Pm "$root" | awk 'NR == 2 { print $4 }')
need_mb=$(printf '%s' "$todo" | awk -F '\t' '{ d += $4 } END { print d }')
[ "$free_mb" -gt "$need_mb" ] || fail "Not enough disk space: $need_mb MB are required, $free_mb MB are free."

if [ -n "$debian" ] && ! can_install_packages; then
  fail "Install the missing packages with this command, then run make again:
  $(package_line $debian)"
fi

if [ -z "${YES:-}" ] && [ -z "${CI:-}" ] && [ -t 0 ] && [ -t 1 ]; then
  printf 'Continue? [Y/n] '
  read -r answer
  case $answer in '' | y | Y | yes | Yes) ;; *) fail "Cancelled. Nothing was changed." ;; esac
fi

# One set-up at a time: a second make waits for the first, and then has nothing to install.
mkdir -p "$tools"
if on_path flock; then
  exec 9>"$root/.local/setup.lock"
  flock -n 9 || { say "Waiting for another set-up to finish." && flock 9; }
fi

wanted() { case "$todo" in "$1$tab"* | *"
$1$tab"*) true ;; *) false ;; esac }

# shellcheck disable=SC2086 # the list of packages is several words on purpose
[ -z "$debian" ] || install_packages $debian

# missing KEY HAS FOLDER STAMP: true if the step is planned and no other set-up has completed it in the meantime.
missing() { wanted "$1" && ! "$2" "$3" "$4"; }

packages() {
  if ! wanted packages || has_packages; then return; fi
  if needs_bootstrap; then
    has_pin "$tools/node" "$bootstrap_stamp" || step node "Node $NODE_PIN" "$tools/node.partial" install_bootstrap
    export PATH="$tools/node/node_modules/.bin:$PATH"
  fi
  step packages "Packages (npm ci)" node_modules.partial install_packages_of_lock
}
servers() {
  ! missing kafka has_pin "$tools/kafka" "$kafka_stamp" || step kafka "Kafka $KAFKA_PIN" "$tools/kafka.partial" install_kafka
  ! missing registry has_pin "$tools/registry" "$registry_stamp" ||
    step registry "Schema registry $REGISTRY_PIN" "$tools/registry.partial" install_registry
  ! missing toxiproxy has_pin "$tools/toxiproxy" "$toxiproxy_stamp" ||
    step toxiproxy "Toxiproxy $TOXIPROXY_PIN" "$tools/toxiproxy.partial" install_toxiproxy
}
pythons() {
  ! missing store has_python "$tools/secantus" "$store_stamp" || step store "Store" "$tools/secantus.partial" install_store
  ! missing reader has_python "$tools/reader" "$reader_stamp" || step reader "Reader" "$tools/reader.partial" install_reader
  ! missing generators has_python "$tools/generators" "$generators_stamp" ||
    step generators "Generators of clients" "$tools/generators.partial" install_generators
}
verifier() {
  ! missing verifier has_pin "$tools/foreign-verifier" "$verifier_stamp" ||
    step verifier "Foreign verifier" "$tools/foreign-verifier.partial" install_verifier
}
archives() {
  ! missing archives has_pin "$tools/class-archives" "$archives_stamp" ||
    step archives "Class archives" "$tools/class-archives.partial" install_archives
}
dashboard() {
  ! missing dashboard has_pin dashboard/dist "$dashboard_stamp" ||
    step dashboard "Dashboard" dashboard/dist build_dashboard
}
together packages servers pythons verifier
# Needs the project's Node, the servers and the packages.
together archives dashboard
say "Set-up complete."
