/*
 * Memory of the target: copied, cast to types, dumped.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
struct pt { int x, y; struct pt *next; char name[8]; };

pid$target:a.out:bytes:entry
{
	tracemem(copyin(arg0, arg1), 14);
	tracemem(copyin(arg0, arg1), 14, 5);
	trace(copyinstr(arg0 + 3, 6));
	printf("\n");
	this->b = (unsigned char *)alloca(8);
	copyinto(arg0 + 2, 4, this->b);
	printf("%x %x %x\n", this->b[0], this->b[1], this->b[7]);
	printf("%d\n", *(uint16_t *)copyin(arg0, 2));
	printf("[%s]\n", stringof(copyin(arg0 + 3, 6)));
}
pid$target:a.out:point:entry
{
	this->p = (struct pt *)copyin(arg0, sizeof (struct pt));
	this->n = (struct pt *)copyin((uintptr_t)this->p->next,
	    sizeof (struct pt));
	printf("%d %d %s\n", this->p->x, this->p->y, this->p->name);
	printf("%d %d %s %d\n", this->n->x, this->n->y, this->n->name,
	    this->n->next == NULL);
}
