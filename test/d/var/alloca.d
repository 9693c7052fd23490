/*
 * Pointers into scratch: members, arithmetic, stores.
 * @needs: bpf
 * @engines: kernel process
 */
struct link { struct link *next; int v; };

BEGIN
{
	this->l = (struct link *)alloca(sizeof (struct link));
	this->l->v = 3;
	this->l->next = this->l;
	this->l->next->v++;
	printf("%d\n", this->l->next->next->v);
	this->m = this->l + 1;
	printf("%d %d %d\n", this->m - this->l,
	    (uintptr_t)this->m - (uintptr_t)this->l, this->l < this->m);
	this->a = (int *)alloca(40);
	this->a[3] = 7;
	*(this->a + 4) = -8;
	this->a[3] *= 2;
	printf("%d %d\n", this->a[3] + this->a[4], &this->a[3] - this->a);
	exit(0);
}
