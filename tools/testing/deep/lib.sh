# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by tests that make a chroot. Such a test sets three variables: tree is
# the top of the sources, scratch is a directory for temporary files, and root
# is the directory of the chroot.
# shellcheck disable=SC2154 # these three

path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. "$tree/tools/testing/selftests/net/smc/ktap.sh"

result() { # STATUS NAME [FILE-WITH-DETAILS]
	if [ "$1" = 0 ]; then
		pass "$2"
	else
		fail "$2" "${3:+$(cat "$3")}"
	fi
}

bail_out() { # WHY [FILE-WITH-DETAILS]
	[ -z "${2:-}" ] || tail -n 20 "$2" | sed 's/^/# /'
	echo "Bail out! $1"
	exit 1
}

# The package sources of this machine also apply to the chroot.
make_root() { # DIRECTORY LOG PACKAGE[,PACKAGE]...
	local suite sources=()

	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mapfile -t sources < <(grep -lw "$suite" /etc/apt/sources.list \
		/etc/apt/sources.list.d/*.list \
		/etc/apt/sources.list.d/*.sources 2> /dev/null)
	[ "${#sources[@]}" -gt 0 ] || bail_out "no package sources for $suite"
	apt-config dump | grep '^Acquire::' > "$scratch/apt.conf" || true
	mmdebstrap --quiet --mode=root --variant=minbase --include="$3" \
		--aptopt="$scratch/apt.conf" \
		"$suite" "$1" "${sources[@]}" < /dev/null > "$2" 2>&1 ||
		return
	cp /etc/hosts "$1/etc/hosts"
}

copy_tree() { # TREE DIRECTORY
	mkdir "$2"
	(cd "$1" && git ls-files -z | tar -c --null -T -) | tar -x -C "$2"
	chown -R 0:0 "$2"
}

in_root() { # COMMAND...
	chroot "$root" /usr/bin/env -i PATH="$path" HOME=/root LC_ALL=C.UTF-8 \
		"$@" < /dev/null
}
