typedef struct node { struct node *next; int a : 3, b : 4; char c[4]; } node_t;
union u { int i; char c[4]; struct { short lo, hi; }; };
enum color { RED, GREEN = 5, BLUE = GREEN << 1 };
int a[string, int]; self node_t *n; this int k;
extern int *(*f[3])(char, ...);
int proto(int, char *name);
inline int N = BLUE * 2;
int sized[8];
BEGIN { a["x", 1] = N; sized[2] = sizeof(node_t) + offsetof(node_t, c); }
