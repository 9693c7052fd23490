/*
 * Arrays of characters, tracemem(), and strings as bytes.
 * @needs: bpf
 * @engines: kernel process
 */
typedef struct { char name[8]; int n; } rec_t;
rec_t r;

BEGIN
{
	r.name[0] = 'h'; r.name[1] = 'i';
	printf("[%s] [%5s] [%-5s] [%.1s]\n", r.name, r.name, r.name, r.name);
	this->p = (char *)alloca(20);
	bcopy("hello world\n12345", this->p, 18);
	printf("%c%c\n", this->p[0], *(this->p + 4));
	this->p[5] = '\0';
	printf("%s\n", stringof(this->p));
	tracemem(this->p, 20);
	tracemem(this->p, 20, 5);
	trace(stringof(this->p));
	exit(0);
}
