/*
 * What is cut to few bits has their sign when a wider variable of any kind
 * keeps it.
 *
 * @run: -qs %f
 * @engines: kernel process
 */
BEGIN
{
	c = (char)127; uc = (unsigned char)255;
	s = (short)32767; us = (unsigned short)65535;

	g = 0LL; self->t = 0LL; this->l = 0LL; a[1] = 0LL;
	ug = 0ULL; sh = (short)0;
}

BEGIN
{
	g = (char)(c + 1); self->t = (char)(c + 1); this->l = (char)(c + 1);
	a[1] = (char)(c + 1); ug = (char)(c + 1); sh = (char)(c + 1);
	printf("%d %d %d %d %x %d\n", g, self->t, this->l, a[1], ug, sh);
	g = (unsigned char)(uc + 1); self->t = (unsigned char)(uc + 2);
	this->l = (unsigned char)(uc + 3); a[1] = (unsigned char)(uc + 4);
	ug = (unsigned char)(uc + 5); sh = (unsigned char)(uc + 6);
	printf("%d %d %d %d %x %d\n", g, self->t, this->l, a[1], ug, sh);
	g = (short)(s + 1); self->t = (short)(s + 2); this->l = (short)(s + 3);
	a[1] = (short)(s + 4); ug = (short)(s + 5); sh = (char)(s + 6);
	printf("%d %d %d %d %x %d\n", g, self->t, this->l, a[1], ug, sh);
	g = (unsigned short)(us + 1); self->t = (unsigned short)(us + 2);
	this->l = (unsigned short)(us + 3); a[1] = (unsigned short)(us + 4);
	ug = (unsigned short)(us + 5); sh = (unsigned short)(us + 6);
	printf("%d %d %d %d %x %d\n", g, self->t, this->l, a[1], ug, sh);
	/* Compound, negative, and by way of the other sign. */
	g = 1; g += (char)(c + 2); self->t = -(char)(c + 1);
	this->l = (unsigned char)(char)(c + 1); a[1] = (char)(uc - 1);
	ug = (unsigned)(short)(s + 1); sh = (short)(us - 1);
	printf("%d %d %d %d %x %d\n", g, self->t, this->l, a[1], ug, sh);
	exit(0);
}
