# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# From `dtrace -l`: what the last field of the description in `cur` may be,
# where the others are as they stand there; an empty one is any.
NR > 1 && NF >= 3 {
	f[1] = $2; f[4] = $NF
	f[2] = NF > 3 ? $3 : ""; f[3] = NF > 4 ? $4 : ""
	n = split(cur, want, ":")
	if (cur == "" || cur ~ /:$/)
		n += cur == ""
	for (i = 1; i < n; i++)
		if (want[i] != "" && want[i] != f[i])
			next
	if (f[n] != "" && index(f[n], want[n]) == 1 && !seen[f[n]]++)
		print f[n]
}
