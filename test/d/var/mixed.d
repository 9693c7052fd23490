/*
 * Keys of several types, every ++ and --, this-> from clause to clause.
 * @needs: bpf
 * @engines: kernel process
 */
int g[int, string];
string names[int];
this int u;
BEGIN {
	a[1, "x"] = 3; a[1, "y"] = 4; a[2, "x"]++; a[2,"x"] += 10; a[3,"z"]--;
	printf("%d %d %d %d %d\n", a[1,"x"], a[1,"y"], a[2,"x"], a[3,"z"], a[9,"q"]);
	a[1,"x"] = 0; printf("%d\n", a[1,"x"]);
	g[1,"a"] = 5; printf("%d\n", g[1,"a"]++); printf("%d\n", g[1,"a"]);
	printf("%d\n", ++g[1,"a"]); printf("%d\n", g[1,"a"]--);
	names[1] = "one"; names[2] = names[1]; names[1] = 0; printf("[%d][%s]\n", names[1]==NULL, names[2]);
	self->x = 5; self->x *= 3; self->x <<= 2; self->x |= 3; self->x ^= 1; self->x %= 40; printf("%d\n", self->x);
	self->x = 0; printf("%d\n", self->x);
	self->s = "str"; self->a[1,pid] = 4; self->b["k"] = 3;printf("%s %d %d\n", self->s, self->a[1,pid], self->a[2,pid]);
}
BEGIN { this->v = 1; this->v++; this->s = "abc"; self->a[1,$pid] = 0; }
BEGIN { this->v += 5; printf("%d %s %d\n", this->v, this->s, this->u); this->u = 1;}
BEGIN /this->v == 7 && this->s == "abc"/ { printf("yes\n"); }
BEGIN /this->v == 8 || this->s != "abc"/ { printf("no\n"); }
BEGIN { if (this->v > 3) { printf("big\n"); if (this->v == 7) printf("seven\n"); else printf("x\n"); } else if (this->v) { printf("small\n"); } else printf("zero\n"); printf("after\n"); }
BEGIN { exit(0); }
