1000 1
dtrace: 9\d\d dynamic variable drops
