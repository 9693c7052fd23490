/*
 * __has_member() chooses an arm; the other is not looked at, and a type that
 * nobody knows has no members.
 * @needs: bpf
 * @engines: kernel process
 */
struct s {
	int a;
	union {
		int b;
		struct { int c; };
	};
};
inline int has_a = __has_member(struct s, a);

BEGIN
{
	printf("%d %d %d %d\n", has_a, __has_member(struct s, b),
	    __has_member(struct s, c), __has_member(struct s, d));
	printf("%d %d\n", __has_member(struct nosuch, a),
	    __has_member(int, a));
	printf("%d\n", __has_member(struct s, d) ? nosuch : 7);
	printf("%d\n", __has_member(struct s, c) ? 8 : ((struct s *)0)->d);
	printf("%d\n", (int)__has_member(struct s, a) + 1);
	exit(0);
}
