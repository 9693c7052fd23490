/*
 * A ring keeps the youngest records, whole, and as many as it has room for:
 * 24 bytes each, 170 in a round of 4096 bytes, whose rest of 16 is a filler.
 * END finds room.
 * @needs: bpf
 * @engines: kernel process
 * @target: count
 * @run: -q -b 4k -x bufpolicy=ring -s %f -c %t
 */
pid$target:a.out:made:entry { printf("%d ", arg0); }
END { printf("end\n"); }
