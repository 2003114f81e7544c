#!/usr/bin/env bash
# Installs what a target needs and is not there yet; says nothing when all is there.
#   stack/setup/setup.sh code         the project's Node and packages (make check, make test-unit)
#   stack/setup/setup.sh servers      and ffmpeg, Kafka, the registry, the store (make demo, start, bench)
#   stack/setup/setup.sh everything   and what only tests need: a browser, an outsider's reader and verifier (make test)
#   stack/setup/setup.sh soak         and Toxiproxy (make soak)
#   stack/setup/setup.sh clients      or generators of clients (make test-clients)
# YES=1 asks nothing; without a terminal, or with CI=true, nothing is asked either.
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
  echo "Please run make as yourself, without sudo: it asks for root by itself where that is needed." >&2
  exit 1
}

# The system's Node bootstraps: the project's own is not there yet, or about to be replaced.
PATH=$(printf '%s' "$PATH" | tr ':' '\n' | grep -v -F -x "$root/node_modules/.bin" | paste -s -d : -)
export PATH

. stack/setup/step.sh
. stack/setup/pins.sh
. stack/setup/tools.sh
. stack/setup/packages.sh

if ! has_packages; then adopt_packages || true; fi

# plan: sets `todo` (tab-separated lines: key, title, MB to fetch, MB on disk, seconds).
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

say "To be set up first, once:"
printf '%s' "$todo" | awk -F '\t' '
  { printf "  %-42s %4d MB to fetch, %4d MB on disk\n", $2, $3, $4; f += $3; d += $4; s += $5 }
  END { printf "  In all about %d MB to fetch, %d MB on disk, %d to %d minutes on a quick line.\n", f, d, (s < 60 ? 1 : s / 60 + 0.5), s / 20 + 1 }'

free_mb=$(df -Pm "$root" | awk 'NR == 2 { print $4 }')
need_mb=$(printf '%s' "$todo" | awk -F '\t' '{ d += $4 } END { print d }')
[ "$free_mb" -gt "$need_mb" ] || fail "Only $free_mb MB are free on this disk; $need_mb MB are needed."

if [ -n "$debian" ] && ! can_install_packages; then
  fail "Please install what is missing with this line, then run make again:
  $(package_line $debian)"
fi

if [ -z "${YES:-}" ] && [ -z "${CI:-}" ] && [ -t 0 ] && [ -t 1 ]; then
  printf 'Go on? [Y/n] '
  read -r answer
  case $answer in '' | y | Y | yes | Yes) ;; *) fail "Nothing was changed." ;; esac
fi

# One set-up at a time: a second make waits for the first, then finds everything there.
mkdir -p "$tools"
if on_path flock; then
  exec 9>"$root/.local/setup.lock"
  flock -n 9 || { say "Another set-up is at work; waiting for it." && flock 9; }
fi

wanted() { case "$todo" in "$1$tab"* | *"
$1$tab"*) true ;; *) false ;; esac }

# shellcheck disable=SC2086 # the list of packages is several words on purpose
[ -z "$debian" ] || install_packages $debian

# missing KEY HAS FOLDER STAMP: whether a step was announced, and no other set-up has done it since.
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
# Made by the project's Node, from the servers and the packages.
together archives dashboard
say "Set up."
