/*
 * Structs as values: unset ones are zero, parts are written and copied, 0 gives
 * up an element.
 *
 * @needs: bpf
 * @engines: kernel process
 */
struct in { int z; char n[8]; }; struct s { int a; struct in i; int arr[3]; struct in ia[2]; int b:4; };
struct s g; self struct s t; this struct s l; struct s m[int, string];
BEGIN { printf("%d\n", g.a); }
BEGIN { printf("%d %s\n", self->t.i.z, self->t.i.n); }
BEGIN { printf("%d\n", this->l.ia[1].z);  }
BEGIN { printf("%d\n", m[1,"a"].arr[2]); }
BEGIN { printf("%d\n", m[1,"a"].b); }
BEGIN { m[1,"a"].ia[1].n[0] = 'x'; printf("%s|%s|\n", m[1,"a"].ia[1].n, m[1,"b"].ia[1].n); }
BEGIN { m[1,"a"].b = 9; m[1,"a"].b++; printf("%d\n", m[1,"a"].b); m[2,"q"] = m[1,"a"]; printf("%s %d\n", m[2,"q"].ia[1].n, m[2,"q"].b); }
BEGIN { g = m[2,"q"]; g.i = g.ia[1]; self->t = g; printf("%s\n", self->t.i.n); m[2,"q"] = 0; }
BEGIN { print(m[9,"z"]); trace(m[9,"z"].a); g = m[9,"z"]; trace(g.a); tracemem(&((struct in *)alloca(8))->z, 4); }
BEGIN { exit(0); }
