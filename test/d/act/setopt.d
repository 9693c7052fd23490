/*
 * Options of printing, set while records are read.
 * @needs: bpf
 * @engines: kernel process
 * @run: -x strsize=16 -s %f
 */
BEGIN { trace(1); setopt("quiet"); }
BEGIN { trace(2); setopt("quiet", "0"); }
BEGIN { trace(3); }
BEGIN { setopt("quiet", "on"); printf("\n"); setopt("rawbytes"); trace("abc"); setopt("rawbytes", "off"); trace("abc\n"); }
BEGIN { @["a"] = sum(2); @["b"] = sum(1); printa("%s\n", @); setopt("aggsortrev"); printa("%s\n", @); setopt("aggsortkey", "1"); printa("%s\n", @); }
BEGIN { exit(0); }
