/*
 * Speculations under a policy that reads at the end only.
 * @needs: bpf
 * @engines: kernel process
 * @target: count
 * @run: -q -b 64k -x bufpolicy=ring -x nspec=2 -s %f -c '%t 6'
 */
pid$target:a.out:made:entry /arg0 == 0/ { a = speculation(); b = speculation(); }
pid$target:a.out:made:entry { speculate(a); printf("a%d ", arg0); }
pid$target:a.out:made:entry { speculate(b); printf("b%d ", arg0); }
pid$target:a.out:made:entry /arg0 == 3/ { commit(a); }
pid$target:a.out:made:entry /arg0 == 4/ { discard(b); printf("4 "); }
END { printf("end\n"); }
