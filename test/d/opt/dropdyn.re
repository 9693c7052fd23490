1000 1
dtrace: 9\d\d dynamic variable drops
dtrace: to lose less, raise -x dynvarsize \(now 64k\); or assign 0 to variables that are not needed any more
