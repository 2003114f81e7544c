# Programs from the system's package manager.

java_major() {
  command -v java >/dev/null 2>&1 || return 0
  java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
}

node_major() {
  command -v node >/dev/null 2>&1 || return 0
  node -p 'process.versions.node.split(".")[0]' 2>/dev/null || true
}

go_minor() { go version 2>/dev/null | sed -n 's/.* go1\.\([0-9]*\).*/\1/p'; }

at_least() { [ -n "$1" ] && [ "$1" -ge "$2" ]; }

# Ubuntu's default JRE is older than 17 in supported releases.
jre_package() {
  if grep -qs '^ID=ubuntu' /etc/os-release; then echo openjdk-17-jre-headless; else echo default-jre-headless; fi
}

# Headless Chromium needs a third of the CPU in tests. Only Debian has a package of it.
browser_package() {
  if grep -qs '^ID=debian' /etc/os-release; then echo chromium-headless-shell; else echo chromium; fi
}

has_browser() {
  if [ -n "${CHROMIUM_PATH:-}" ] || on_path chromium-headless-shell; then return 0; fi
  # Without root, any installed Chromium is used.
  if [ "$(browser_package)" != chromium ] && can_install_packages; then return 1; fi
  on_path chromium || on_path chromium-browser || on_path google-chrome
}

# missing_packages: prints a line for each missing program: the Debian package, MB to download, MB on disk.
missing_packages() {
  at_least "$(node_major)" 18 && command -v npm >/dev/null 2>&1 || {
    echo 'nodejs 20 80'
    echo 'npm 10 60'
  }
  [ -e /etc/ssl/certs/ca-certificates.crt ] || [ ! -e /etc/debian_version ] || echo 'ca-certificates 1 1'
  [ "$scope" = code ] && return 0
  if [ "$(uname)" = Linux ]; then
    command -v bwrap >/dev/null 2>&1 || echo 'bubblewrap 1 1'
    /usr/bin/python3 -c 'import seccomp' 2>/dev/null || echo 'python3-seccomp 1 1'
  fi
  [ -n "${FFMPEG_PATH:-}" ] || { command -v ffmpeg && command -v ffprobe; } >/dev/null 2>&1 || echo 'ffmpeg 110 400'
  if needs_kafka || needs_registry; then
    at_least "$(java_major)" 17 || echo "$(jre_package) 50 200"
  fi
  if { needs_kafka && ! has_pin "$tools/kafka" "$kafka_stamp"; } ||
    { needs_registry && ! has_pin "$tools/registry" "$registry_stamp"; }; then
    command -v mvn >/dev/null 2>&1 || echo 'maven 12 20'
  fi
  if { needs_store && ! has_python "$tools/secantus" "$store_stamp"; } ||
    { needs_reader && ! has_python "$tools/reader" "$reader_stamp"; } ||
    { needs_generators && ! has_python "$tools/generators" "$generators_stamp"; }; then
    python3 -c 'import venv, ensurepip' 2>/dev/null || echo 'python3-venv 10 40'
  fi
  if [ "$scope" = everything ]; then
    has_browser || echo "$(browser_package) 100 300"
  fi
  if { needs_toxiproxy && ! has_pin "$tools/toxiproxy" "$toxiproxy_stamp"; } ||
    { needs_verifier && ! has_pin "$tools/foreign-verifier" "$verifier_stamp"; }; then
    at_least "$(go_minor)" 17 || echo 'golang-go 81 464'
  fi
}

# The command that the user must run if this script cannot install packages.
package_line() {
  if command -v apt-get >/dev/null 2>&1; then
    echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
  elif command -v brew >/dev/null 2>&1 || [ "$(uname)" = Darwin ]; then
    echo "brew install $(renamed "$*" ffmpeg=ffmpeg jre=openjdk@17 maven=maven python3-venv=python nodejs=node npm= golang-go=go)"
  elif command -v dnf >/dev/null 2>&1; then
    echo "sudo dnf install -y $(renamed "$*" ffmpeg=ffmpeg-free jre=java-17-openjdk-headless python3-venv=python3 python3-seccomp=python3-libseccomp golang-go=golang)"
  elif command -v pacman >/dev/null 2>&1; then
    echo "sudo pacman -S --needed $(renamed "$*" jre=jre17-openjdk-headless python3-venv=python python3-seccomp=python-libseccomp golang-go=go)"
  elif command -v apk >/dev/null 2>&1; then
    echo "sudo apk add $(renamed "$*" jre=openjdk17-jre-headless python3-venv=python3 python3-seccomp=py3-libseccomp golang-go=go)"
  else
    echo "(with the package manager of this system) $*"
  fi
}

# renamed "PACKAGES" DEBIAN=OTHER...: translates package names; `jre` stands for any JRE of Debian.
renamed() {
  local packages=$1 package name pair out=
  shift
  for package in $packages; do
    case $package in *-jre-headless) package=jre ;; esac
    name=$package
    for pair in "$@"; do
      [ "${pair%%=*}" = "$package" ] && name=${pair#*=}
    done
    out="$out${name:+ $name}"
  done
  echo "${out# }"
}

# apt needs root: as root, with a sudo without a password, or with a sudo that can ask on this terminal.
apt_prefix() {
  if [ "$(id -u)" = 0 ]; then
    echo 'env'
  elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    echo 'sudo env'
  fi
}

can_install_packages() { command -v apt-get >/dev/null 2>&1 && [ -n "$(apt_prefix)" ]; }

apt_install() {
  local prefix
  prefix=$(apt_prefix)
  # shellcheck disable=SC2086 # the prefix is one or two words on purpose
  $prefix DEBIAN_FRONTEND=noninteractive apt-get update -q &&
    $prefix DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

install_packages() {
  if [ "$(id -u)" != 0 ]; then sudo -v || fail "These packages are required: $*"; fi
  step packages "Debian packages ($*)" /var/cache/apt/archives apt_install "$@"
}
