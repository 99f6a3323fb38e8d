#!/bin/sh
# SPDX-License-Identifier: MIT
#
# lwip-source.sh - put lwIP as Debian 12 has it into build-lwip/source, once, for all builds. Debian's own
# tools fetch and check it, with a source list and a state of their own: the machine's apt stays as it is.
# Needs dpkg-dev; runs as any user. TG_DEBIAN_MIRROR names another mirror.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cache=$root/build-lwip
mirror=${TG_DEBIAN_MIRROR:-http://deb.debian.org/debian}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

[ ! -e "$cache/source/src/Filelists.cmake" ] || exit 0

command -v dpkg-source >/dev/null || {
    echo 'lwip-source.sh: dpkg-source is missing: apt-get install dpkg-dev' >&2
    exit 3
}

# Beside the place where it belongs, so that a fetch that is cut off leaves nothing that looks whole.
work=$(mktemp -d "$root/build-lwip.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
echo "deb-src [signed-by=$keyring] $mirror bookworm main" >"$work/sources.list"

apt() {
    apt-get -q -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- \
        -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User= "$@"
}

(cd -- "$work" && apt update && apt source lwip) >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    echo "lwip-source.sh: could not fetch the source package lwip from $mirror (TG_DEBIAN_MIRROR=URL" \
        "names another mirror)" >&2
    exit 1
}
mkdir -p "$cache"
rm -rf "$cache/source"
mv "$work"/lwip-2.1.3* "$cache/source"
