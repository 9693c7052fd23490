/*
 * The header of a provider, as programs in C and C++ include it: types that D
 * has names for and C has not, data that the probe reads only, a translated
 * list, which is for D alone.
 * @run: -h -s %f -o /dev/stdout
 */
typedef struct res {
	int id;
} res_t;

provider myapp {
	probe start();
	probe query__done(res_t *r, uint_t n, string text, double d)
	    : (uint_t n, uint_t n);
};
