/*
 * 64-bit limits, shifts, and signed against unsigned.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	this->max = 0x7fffffffffffffff;
	this->min = -this->max - 1;
	this->u = (uint64_t)this->min;
	this->c = (char)-1;
	this->uc = (uint8_t)-1;
	this->i = (int)0x80000000;
	printf("%d %d %u\n", this->max + 1 == this->min, this->min - 1,
	    this->u + this->u);
	printf("%d %d %d\n", this->min / -1, this->min % -1, -this->min);
	printf("%d %d\n", this->min < 0, this->u < 0);
	printf("%d %d %d\n", this->c == this->uc, this->c < this->uc,
	    this->c + this->uc);
	printf("%d %x %u\n", this->c >> 4, this->uc >> 4, (uint64_t)this->c);
	printf("%d %d\n", this->i >> 31, (unsigned)this->i >> 31);
	printf("%d %d\n", this->i - 1 < this->i, -1 > 0u);
	printf("%d %u\n", -7 / 2u == 0x7ffffffc, (uint64_t)-7 / 2);
	printf("%d %d %d\n", -7 / 2, -7 % 2, 7 % -2);
	printf("%x %x\n", (int64_t)1 << 63, this->u >> 63);
	printf("%d %d\n", 'a' + 1, '\377' < 0);
	exit(0);
}
