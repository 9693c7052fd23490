BEGIN { setopt("quiet"); setopt("x", "y"); ftruncate(); chill(5); jstack(3, 10); raise(1); stop(); print(1); printf("%k", jstack(1)); @[jstack()] = count(); freopen("."); }
BEGIN { panic(); return(0); }
