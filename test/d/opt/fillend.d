/*
 * What END may record must fit into a buffer that may be full.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 * @status: 1
 * @run: -q -b 4k -x strsize=1k -x bufpolicy=fill -s %f
 */
string s;
BEGIN { exit(0); }
END { printf("%s", s); }
END { printf("%s", s); }
END { printf("%s", s); }
END { printf("%s", s); }
