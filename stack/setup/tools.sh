# Installs tools inside the project: Node and packages, Kafka, the schema registry and the store. Tests also need a
# reader and an independent verifier, and long tests need client generators and a proxy for network faults.

# The pin of a file is its text, so that any change installs it again.
digest() { cksum "$@" | cut -d ' ' -f 1,2 | tr ' \n' '--'; }

packages_stamp="$NODE_PIN $(digest package-lock.json patches/*)"
kafka_stamp="$KAFKA_PIN $(digest stack/setup/kafka-pom.xml stack/setup/kafka-jars.sha256)"
registry_stamp="$REGISTRY_PIN"
store_stamp="$(digest stack/setup/store-requirements.txt)"
archives_stamp="$kafka_stamp $registry_stamp $(digest stack/setup/write-class-archives.ts)"
reader_stamp="$(digest stack/setup/reader-requirements.txt)"
generators_stamp="$(digest stack/setup/generators/*)"
toxiproxy_stamp="$TOXIPROXY_PIN"
verifier_stamp="$(find test/foreign-verifier -type f -exec cksum {} + | LC_ALL=C sort | cksum)"
# The dashboard is built from its own files, the OpenAPI document (for its types), and the packages. The build itself
# writes the excluded files.
dashboard_stamp="$(find dashboard schemas/http domain -type f ! -path 'dashboard/dist/*' ! -name management-types.ts ! -name project-schema.json -exec cksum {} + | LC_ALL=C sort | cksum) $packages_stamp"

on_path() { command -v "$1" >/dev/null 2>&1; }

# An address in the environment belongs to an external server, unless it has a second name from "renderctl env". Then it
# belongs to an embedded stack.
elsewhere() { [ -n "$1" ] && [ "$1" != "$2" ]; }
needs_servers() { [ "$scope" != code ]; }
needs_kafka() { needs_servers && { ! elsewhere "${KAFKA_BROKERS:-}" "${STACK_KAFKA:-}" || [ "$scope" = everything ]; }; }
needs_registry() {
  needs_servers && { ! elsewhere "${SCHEMA_REGISTRY_URL:-}" "${STACK_REGISTRY_URL:-}" || [ "$scope" = everything ]; }
}
needs_store() {
  needs_servers && ! elsewhere "${MONGODB_URL:-}" "${STACK_MONGODB_URL:-}" && ! on_path secantusd-rs && ! on_path mongod
}
needs_archives() { needs_kafka && needs_registry; }
needs_reader() { [ "$scope" = everything ]; }
needs_verifier() { [ "$scope" = everything ]; }
needs_generators() { [ "${long_proof:-}" = clients ]; }
needs_dashboard() { needs_servers; }
needs_toxiproxy() { [ "${long_proof:-}" = soak ]; }

# --- Node and the packages ---

has_packages() {
  has_pin node_modules "$packages_stamp" && [ -x node_modules/.bin/node ]
}

# A manual `npm install` writes no stamp, so its packages are compared with the lock file.
adopt_packages() {
  [ -f node_modules/.package-lock.json ] && [ -x node_modules/.bin/node ] || return 1
  node_modules/.bin/node stack/setup/installed.mjs || return 1
  apply_patches >/dev/null 2>&1 || return 1
  printf '%s\n' "$packages_stamp" >node_modules/.stamp
}

apply_patches() {
  [ ! -d patches ] || node_modules/.bin/node node_modules/patch-package/index.js --error-on-fail
}

# Debian 12 has Node 18 and npm 9. They only download newer versions, which do the rest.
needs_bootstrap() { ! at_least "$(node_major)" 22 || ! at_least "$(npm --version 2>/dev/null | cut -d . -f 1)" 10; }
bootstrap_stamp="node $NODE_PIN npm $NPM_PIN"

fetch_bootstrap() {
  cd "$1"
  echo '{"private": true, "allowScripts": {"node": true}}' >package.json
  npm install --no-fund --no-audit --no-update-notifier --save-exact "node@$NODE_PIN" "npm@$NPM_PIN"
}

install_bootstrap() { install_folder "$tools/node" "$bootstrap_stamp" fetch_bootstrap; }

# Installs into a separate folder, so that an interruption leaves nothing partial. Package addresses halve the time.
fetch_packages() {
  rm -rf node_modules.partial
  mkdir node_modules.partial
  cp -R package.json .npmrc patches node_modules.partial
  node stack/setup/addressed-lock.mjs "$(npm config get registry)" >node_modules.partial/package-lock.json
  (cd node_modules.partial && npm ci --no-fund --no-audit)
}

install_packages_of_lock() {
  rm -rf node_modules
  if fetch_packages; then
    mv node_modules.partial/node_modules node_modules
  else
    echo "The registry uses other addresses, so npm requests each of them."
    npm ci --no-fund --no-audit
  fi
  rm -rf node_modules.partial
  node_modules/.bin/node --version
  printf '%s\n' "$packages_stamp" >node_modules/.stamp
}

# --- the servers ---

# Maven checks downloads against checksums from the same repository. This checks them against the pinned checksums.
fetch_kafka() {
  mvn -B -q -f "$root/stack/setup/kafka-pom.xml" "-Dkafka.version=$KAFKA_PIN" "$MAVEN_COPY_ALL" "-DoutputDirectory=$1/lib"
  verify_files "$1/lib" "$root/stack/setup/kafka-jars.sha256"
}

checksum() {
  if on_path sha256sum; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# verify_files FOLDER LIST: fails unless FOLDER has exactly the files of LIST (lines of `sha256sum`), each with its pinned
# checksum.
verify_files() {
  local pinned name file
  while read -r pinned name; do
    [ -f "$1/$name" ] || fail "$name is pinned in ${2#"$root/"}, but was not downloaded."
    [ "$(checksum "$1/$name")" = "$pinned" ] || fail "$name does not match its checksum in ${2#"$root/"}; it was not installed."
  done <"$2"
  for file in "$1"/*; do
    awk -v "name=${file##*/}" '$2 == name { found = 1 } END { exit !found }' "$2" || fail "${file##*/} was downloaded, but is not pinned in ${2#"$root/"}."
  done
}

fetch_registry() {
  local file="apicurio-registry-app-$REGISTRY_PIN-all.tar.gz"
  (cd "$1" && mvn -B -q "$MAVEN_COPY_ONE" "-Dartifact=io.apicurio:apicurio-registry-app:$REGISTRY_PIN:tar.gz:all" "-DoutputDirectory=$1")
  [ "$(checksum "$1/$file")" = "$REGISTRY_SHA256" ] || fail "$file does not match its checksum in stack/setup/pins.sh; it was not installed."
  tar xzf "$1/$file" -C "$1"
  rm "$1/$file"
}

# Later code uses only `python -m`. The scripts that pip writes contain the absolute path of their interpreter, which
# breaks if the folder is renamed or the path contains a space.
fetch_python() {
  python3 -m venv "$2"
  "$2/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r "$root/stack/setup/$1"
}

install_kafka() { install_folder "$tools/kafka" "$kafka_stamp" fetch_kafka; }
install_registry() { install_folder "$tools/registry" "$registry_stamp" fetch_registry; }
# A Java that cannot write archives is no fault: servers only start more slowly without them. Java does not write an
# archive while it uses one, so archives of an earlier version are removed first.
write_archives() { node_modules/.bin/node stack/setup/write-class-archives.ts "$1" || rm -f "$1"/*; }
install_archives() { rm -rf "$tools/class-archives" && install_folder "$tools/class-archives" "$archives_stamp" write_archives; }
install_store() { install_folder "$tools/secantus" "$store_stamp" fetch_python store-requirements.txt; }
build_dashboard() {
  PATH="$root/node_modules/.bin:$PATH" node_modules/.bin/node --run build:dashboard
  printf '%s\n' "$dashboard_stamp" >dashboard/dist/.stamp
}
install_reader() { install_folder "$tools/reader" "$reader_stamp" fetch_python reader-requirements.txt; }

# Client generators from Python and npm. Those from npm need the API of TypeScript 5, which version 7 does not have, so
# they have their own packages.
fetch_generators() {
  fetch_python generators/requirements.txt "$1"
  cp stack/setup/generators/package.json stack/setup/generators/package-lock.json "$1"
  (cd "$1" && npm ci --ignore-scripts --no-fund --no-audit)
}
install_generators() { install_folder "$tools/generators" "$generators_stamp" fetch_generators; }

# Go checks the dependencies against the go.sum of Toxiproxy, whose own checksum is pinned here.
fetch_toxiproxy() {
  local found
  export GOPATH="$1/go" GOCACHE="$1/cache" GOTOOLCHAIN=local GOWORK=off GOFLAGS='-mod=readonly -modcacherw'
  cd "$1"
  found=$(go mod download -json "github.com/Shopify/toxiproxy/v2@v$TOXIPROXY_PIN")
  printf '%s\n' "$found" | grep -q -F "\"Sum\": \"$TOXIPROXY_SUM\"" ||
    fail "Toxiproxy $TOXIPROXY_PIN does not match its checksum in stack/setup/pins.sh; it was not installed."
  cd "$(printf '%s\n' "$found" | sed -n 's/^.*"Dir": "\(.*\)",*$/\1/p')"
  # Needs no C compiler, and skips optimizations that take time.
  CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -gcflags=all=-l -o "$1/toxiproxy-server" ./cmd/server
  cd "$1"
  rm -rf go cache
}
install_toxiproxy() { install_folder "$tools/toxiproxy" "$toxiproxy_stamp" fetch_toxiproxy; }

# The tests check proofs with Go's own verifiers. Its go.sum pins the dependencies.
build_verifier() {
  export GOPATH="$1/go" GOCACHE="$1/cache" GOTOOLCHAIN=local GOWORK=off GOFLAGS='-mod=readonly -modcacherw'
  (cd test/foreign-verifier && CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -gcflags='all=-N -l' -o "$1/foreign-verifier" .)
  rm -rf "$1/go" "$1/cache"
}
install_verifier() { install_folder "$tools/foreign-verifier" "$verifier_stamp" build_verifier; }
