a2 1
a3 1
a1 2
1

dtrace: 2 aggregation drops on CPU \d+
dtrace: to lose less, raise -x aggsize \(now 4k\); or use fewer keys
