# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# chroot.sh - minimal roots of Debian 12 to try things in (tools/fresh,
# tools/packages).  Read by `.`; `skip` is the reader's.
#
# The archive is the one that this machine's APT has lists of (FRESH_MIRROR for
# another), reached as APT is set up here (proxies and the like).

# chroot_archive - the lines of sources.list for Debian 12 that this machine's APT
# has; none where it has no lists.
chroot_archive() {
	if [ -n "${FRESH_MIRROR:-}" ]; then
		echo "deb $FRESH_MIRROR bookworm main"
		return
	fi
	apt-get indextargets --format \
		'$(ORIGIN) $(CODENAME) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 2>/dev/null |
		sed -n 's/^Debian bookworm[a-z-]* deb/deb/p' | sort -u
}

# chroot_reach - how APT gets at archives here, as lines of its configuration.
chroot_reach() {
	apt-config dump Acquire 2>/dev/null | grep -v '^Acquire::IndexTargets' || :
}

# chroot_base BASE WORK - the root with make as the tar file BASE, made where it is
# not there.  WORK gets sources.list and apt.conf.
chroot_base() {
	chroot_archive >"$2/sources.list"
	chroot_reach >"$2/apt.conf"
	[ ! -e "$1" ] || return 0
	"$here/tools/install-packages" fresh || :
	command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
	mkdir -p "$(dirname "$1")"
	chroot_sources=
	[ ! -s "$2/sources.list" ] || chroot_sources=$2/sources.list
	mmdebstrap --format=tar --variant=minbase --include=make,ca-certificates \
		--aptopt="$2/apt.conf" bookworm "$1.new" $chroot_sources \
		>"$2/log" 2>&1 ||
		skip "no root: $(tail -n 1 "$2/log")"
	mv "$1.new" "$1"
}

# chroot_unpack BASE WORK ROOT - a root to work in.
chroot_unpack() {
	mkdir "$3"
	tar -C "$3" -xf "$1" --exclude='./dev/*'
	cp "$2/apt.conf" "$3/etc/apt/apt.conf.d/99fresh"
	if [ -s "$2/sources.list" ]; then # and not where it was made from
		rm -f "$3"/etc/apt/sources.list.d/*
		cp "$2/sources.list" "$3/etc/apt/sources.list"
	fi
}

# chroot_run ROOT WAY COMMAND - run a command in the root, with a bind mount for
# each of the kernel's file systems, which go with the mount namespace.  WAY is
# chroot, where only the root is another, or container: with a root, a mount
# namespace and process numbers of its own.
chroot_run() {
	chroot_flags=-m
	[ "$2" = chroot ] || chroot_flags="-mpf --kill-child"
	# shellcheck disable=SC2086
	unshare $chroot_flags sh -c "$chroot_inside" sh "$@" </dev/null
}

chroot_inside='
set -eu
root=$1 way=$2 command=$3
mount --bind "$root" "$root"
cd "$root"
if [ "$way" = container ]; then
	mount -t proc proc proc
else
	mount --rbind /proc proc
fi
for d in sys dev; do mount --rbind /$d $d; done
mount -t tmpfs tmpfs tmp
[ ! -e /etc/resolv.conf ] || cat /etc/resolv.conf >etc/resolv.conf
if [ "$way" = container ]; then
	mkdir -p old
	pivot_root . old
	cd /
	umount -l /old
	exec env -i --default-signal HOME=/root PATH="$PATH" \
		/bin/sh -c "cd /tree && $command"
fi
exec env -i --default-signal HOME=/root PATH="$PATH" \
	chroot . /bin/sh -c "cd /tree && $command"
'
