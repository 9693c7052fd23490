# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# systemd.sh - for scripts of a guest whose second half runs under systemd.
#
# A script is called first as the guest's command.  systemd_boot has it called again
# by a target of systemd with nothing but the beginning of the system
# (sysinit.target); test/vm/init starts that for status 99.
units=/etc/systemd/system
passed=0 failed=0

# systemd_boot SCRIPT ARGUMENT ...
systemd_boot() {
	# The host's /tmp and /var are there, and may be large.
	for u in systemd-tmpfiles-setup systemd-random-seed systemd-update-utmp \
		systemd-journal-flush; do
		ln -sf /dev/null $units/$u.service
	done
	cat >$units/dt-check.target <<END
[Unit]
Requires=sysinit.target dt-check.service
After=sysinit.target
END
	cat >$units/dt-check.service <<END
[Unit]
After=sysinit.target
[Service]
Type=oneshot
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
ExecStart=/bin/sh $*
END
	exit 99
}

systemd_needed() {
	[ -x /lib/systemd/systemd ] && return
	echo 'skip: systemd is not installed'
	echo 'guest: 0 passed, 0 failed, 1 skipped'
	exit 0
}

# check WHAT STATUS
check() {
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAIL: %s: %s\n' "$title" "$1"
	fi
}

systemd_end() {
	echo "guest: $passed passed, $failed failed, 0 skipped"
	echo guest-end
}
