/*
 * Of two expressions for the same member the last counts.
 * @needs: bpf
 * @engines: kernel process
 */
struct o { int a; int b; };
translator struct o < int I > {
	b = I;
	a = 3;
	b = I + 1;
};
BEGIN { printf("%d %d\n", xlate <struct o>(4).a, xlate <struct o>(4).b); exit(0); }
