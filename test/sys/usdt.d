/* Probes of usdt_target.c and usdt_other.c; see test/sys/usdt. */
struct res {
	int id;
};
typedef struct res res_t;
typedef struct {
	int a;
} anon_t;
enum color { RED, GREEN };

#pragma D attributes Evolving/Evolving/Common provider target provider
#pragma D attributes Stable/Stable/ISA provider target args

provider target {
	probe none();
	probe widths(char, signed char, uchar_t, short, ushort_t, int, uint_t,
		     long, ulong_t, longlong_t, u_longlong_t, void *);
	probe query__start(char *sql, const char *from, string s, res_t *r,
			   anon_t *a, enum color c, char **v);
	probe query__done(struct res *r, int n) : (int n, int n, struct res *r);
	probe real(double d, float f, bool b);
	probe in__header(int);
	probe other(int);
};
