/*
 * 200 clauses, 50 aggregations, 50 calls that deal with strings;
 * made by ./generate.
 * @needs: bpf
 * @run: -qs %f -c '/bin/sh -c "/bin/true; :"'
 */
string text;
self string last;
int64_t number;
int64_t seen[string, int];

BEGIN
{
	self->last = "first";
	text = "/a0/./b0/../C0/d";
	number += strlen(text);
	if (number % 2 == 0) {
		number += 0;
	} else {
		seen["else", 0]++;
	}
	@a0 = count();
}

BEGIN
{
	seen[probename, 1] += 1;
	@a1[probename] = sum(1);
}

BEGIN
{
	seen[probename, 2] += 2;
	@a2["k2", 0] = min(2);
}

BEGIN
{
	seen[probename, 3] += 3;
	if (number % 5 == 0) {
		number += 3;
	} else {
		seen["else", 3]++;
	}
	@a3[self->last] = max(3);
}

BEGIN
{
	text = "/a4/./b4/../C0/d";
	this->s = strchr(text, '/');
	self->last = this->s == NULL ? "none" : this->s;
	@a4[seen[probename, 0] != 0] = avg(4);
}

BEGIN
{
	seen[probename, 5] += 5;
	@a5 = stddev(5);
}

BEGIN
{
	seen[probename, 6] += 6;
	if (number % 3 == 0) {
		number += 6;
	} else {
		seen["else", 2]++;
	}
	@a6[probename] = quantize(6);
}

BEGIN
{
	seen[probename, 7] += 7;
	@a7["k1", 1] = lquantize(7, 0, 100, 10);
}

BEGIN
{
	text = "/a8/./b8/../C0/d";
	this->s = strrchr(text, '/');
	self->last = this->s == NULL ? "none" : this->s;
	@a8[self->last] = count();
}

BEGIN
{
	seen[probename, 1] += 9;
	printf("%s 9: %d %s %d\n", probename, number,
	    self->last, seen[probename, 1]);
	if (number % 6 == 0) {
		number += 9;
	} else {
		seen["else", 1]++;
	}
	@a9[seen[probename, 0] != 0] = sum(9);
}

BEGIN
{
	seen[probename, 2] += 10;
	@a10 = min(10);
}

BEGIN
{
	seen[probename, 3] += 11;
	@a11[probename] = max(11);
}

BEGIN
{
	text = "/a12/./b12/../C0/d";
	this->s = strstr(text, "b3");
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 4 == 0) {
		number += 12;
	} else {
		seen["else", 0]++;
	}
	@a12["k0", 0] = avg(12);
}

BEGIN
{
	seen[probename, 5] += 13;
	@a13[self->last] = stddev(13);
}

BEGIN
{
	seen[probename, 6] += 14;
	@a14[seen[probename, 0] != 0] = quantize(14);
}

BEGIN
{
	seen[probename, 7] += 15;
	if (number % 2 == 0) {
		number += 15;
	} else {
		seen["else", 3]++;
	}
	@a15 = lquantize(15, 0, 100, 10);
}

BEGIN
{
	text = "/a16/./b16/../C0/d";
	this->s = strtok(text, "/");
	self->last = this->s == NULL ? "none" : this->s;
	@a16[probename] = count();
}

BEGIN
{
	seen[probename, 1] += 17;
	@a17["k2", 1] = sum(17);
}

BEGIN
{
	seen[probename, 2] += 18;
	if (number % 5 == 0) {
		number += 18;
	} else {
		seen["else", 2]++;
	}
	@a18[self->last] = min(18);
}

BEGIN
{
	seen[probename, 3] += 19;
	printf("%s 19: %d %s %d\n", probename, number,
	    self->last, seen[probename, 3]);
	@a19[seen[probename, 0] != 0] = max(19);
}

BEGIN
{
	text = "/a20/./b20/../C0/d";
	this->s = strjoin(text, "5");
	self->last = this->s == NULL ? "none" : this->s;
	@a20 = avg(20);
}

BEGIN
{
	seen[probename, 5] += 21;
	if (number % 3 == 0) {
		number += 21;
	} else {
		seen["else", 1]++;
	}
	@a21[probename] = stddev(21);
}

BEGIN
{
	seen[probename, 6] += 22;
	@a22["k1", 0] = quantize(22);
}

BEGIN
{
	seen[probename, 7] += 23;
	@a23[self->last] = lquantize(23, 0, 100, 10);
}

BEGIN
{
	text = "/a24/./b24/../C0/d";
	number += strtoll("60");
	if (number % 6 == 0) {
		number += 24;
	} else {
		seen["else", 0]++;
	}
	@a24[seen[probename, 0] != 0] = count();
}

BEGIN
{
	seen[probename, 1] += 25;
	@a25 = sum(25);
}

BEGIN
{
	seen[probename, 2] += 26;
	@a26[probename] = min(26);
}

BEGIN
{
	seen[probename, 3] += 27;
	if (number % 4 == 0) {
		number += 27;
	} else {
		seen["else", 3]++;
	}
	@a27["k0", 1] = max(27);
}

BEGIN
{
	text = "/a28/./b28/../C0/d";
	this->s = substr(text, 7 % 7);
	self->last = this->s == NULL ? "none" : this->s;
	@a28[self->last] = avg(28);
}

BEGIN
{
	seen[probename, 5] += 29;
	printf("%s 29: %d %s %d\n", probename, number,
	    self->last, seen[probename, 5]);
	@a29[seen[probename, 0] != 0] = stddev(29);
}

BEGIN
{
	seen[probename, 6] += 30;
	if (number % 2 == 0) {
		number += 30;
	} else {
		seen["else", 2]++;
	}
	@a30 = quantize(30);
}

BEGIN
{
	seen[probename, 7] += 31;
	@a31[probename] = lquantize(31, 0, 100, 10);
}

BEGIN
{
	text = "/a32/./b32/../C0/d";
	this->s = substr(text, 1, 8 % 9);
	self->last = this->s == NULL ? "none" : this->s;
	@a32["k2", 0] = count();
}

BEGIN
{
	seen[probename, 1] += 33;
	if (number % 5 == 0) {
		number += 33;
	} else {
		seen["else", 1]++;
	}
	@a33[self->last] = sum(33);
}

BEGIN
{
	seen[probename, 2] += 34;
	@a34[seen[probename, 0] != 0] = min(34);
}

BEGIN
{
	seen[probename, 3] += 35;
	@a35 = max(35);
}

BEGIN
{
	text = "/a36/./b36/../C0/d";
	number += index(text, "b");
	if (number % 3 == 0) {
		number += 36;
	} else {
		seen["else", 0]++;
	}
	@a36[probename] = avg(36);
}

BEGIN
{
	seen[probename, 5] += 37;
	@a37["k1", 1] = stddev(37);
}

BEGIN
{
	seen[probename, 6] += 38;
	@a38[self->last] = quantize(38);
}

BEGIN
{
	seen[probename, 7] += 39;
	printf("%s 39: %d %s %d\n", probename, number,
	    self->last, seen[probename, 7]);
	if (number % 6 == 0) {
		number += 39;
	} else {
		seen["else", 3]++;
	}
	@a39[seen[probename, 0] != 0] = lquantize(39, 0, 100, 10);
}

BEGIN
{
	text = "/a40/./b40/../C0/d";
	number += rindex(text, "/");
	@a40 = count();
}

BEGIN
{
	seen[probename, 1] += 41;
	@a41[probename] = sum(41);
}

BEGIN
{
	seen[probename, 2] += 42;
	if (number % 4 == 0) {
		number += 42;
	} else {
		seen["else", 2]++;
	}
	@a42["k0", 0] = min(42);
}

BEGIN
{
	seen[probename, 3] += 43;
	@a43[self->last] = max(43);
}

BEGIN
{
	text = "/a44/./b44/../C0/d";
	this->s = basename(text);
	self->last = this->s == NULL ? "none" : this->s;
	@a44[seen[probename, 0] != 0] = avg(44);
}

BEGIN
{
	seen[probename, 5] += 45;
	if (number % 2 == 0) {
		number += 45;
	} else {
		seen["else", 1]++;
	}
	@a45 = stddev(45);
}

BEGIN
{
	seen[probename, 6] += 46;
	@a46[probename] = quantize(46);
}

BEGIN
{
	seen[probename, 7] += 47;
	@a47["k2", 1] = lquantize(47, 0, 100, 10);
}

BEGIN
{
	text = "/a48/./b48/../C0/d";
	this->s = dirname(text);
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 5 == 0) {
		number += 48;
	} else {
		seen["else", 0]++;
	}
	@a48[self->last] = count();
}

BEGIN
{
	seen[probename, 1] += 49;
	printf("%s 49: %d %s %d\n", probename, number,
	    self->last, seen[probename, 1]);
	@a49[seen[probename, 0] != 0] = sum(49);
}

BEGIN
{
	seen[probename, 2] += 50;
	@a0 = count();
}

BEGIN
{
	seen[probename, 3] += 51;
	if (number % 3 == 0) {
		number += 51;
	} else {
		seen["else", 3]++;
	}
	@a1[probename] = sum(51);
}

BEGIN
{
	text = "/a52/./b52/../C0/d";
	this->s = cleanpath(text);
	self->last = this->s == NULL ? "none" : this->s;
	@a2["k1", 0] = min(52);
}

BEGIN
{
	seen[probename, 5] += 53;
	@a3[self->last] = max(53);
}

BEGIN
{
	seen[probename, 6] += 54;
	if (number % 6 == 0) {
		number += 54;
	} else {
		seen["else", 2]++;
	}
	@a4[seen[probename, 0] != 0] = avg(54);
}

BEGIN
{
	seen[probename, 7] += 55;
	@a5 = stddev(55);
}

BEGIN
{
	text = "/a56/./b56/../C0/d";
	this->s = lltostr(14);
	self->last = this->s == NULL ? "none" : this->s;
	@a6[probename] = quantize(56);
}

BEGIN
{
	seen[probename, 1] += 57;
	if (number % 4 == 0) {
		number += 57;
	} else {
		seen["else", 1]++;
	}
	@a7["k0", 1] = lquantize(57, 0, 100, 10);
}

BEGIN
{
	seen[probename, 2] += 58;
	@a8[self->last] = count();
}

BEGIN
{
	seen[probename, 3] += 59;
	printf("%s 59: %d %s %d\n", probename, number,
	    self->last, seen[probename, 3]);
	@a9[seen[probename, 0] != 0] = sum(59);
}

BEGIN
{
	text = "/a60/./b60/../C0/d";
	this->s = toupper(text);
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 2 == 0) {
		number += 60;
	} else {
		seen["else", 0]++;
	}
	@a10 = min(60);
}

BEGIN
{
	seen[probename, 5] += 61;
	@a11[probename] = max(61);
}

BEGIN
{
	seen[probename, 6] += 62;
	@a12["k2", 0] = avg(62);
}

BEGIN
{
	seen[probename, 7] += 63;
	if (number % 5 == 0) {
		number += 63;
	} else {
		seen["else", 3]++;
	}
	@a13[self->last] = stddev(63);
}

BEGIN
{
	text = "/a64/./b64/../C0/d";
	this->s = tolower(text);
	self->last = this->s == NULL ? "none" : this->s;
	@a14[seen[probename, 0] != 0] = quantize(64);
}

BEGIN
{
	seen[probename, 1] += 65;
	@a15 = lquantize(65, 0, 100, 10);
}

BEGIN
{
	seen[probename, 2] += 66;
	if (number % 3 == 0) {
		number += 66;
	} else {
		seen["else", 2]++;
	}
	@a16[probename] = count();
}

BEGIN
{
	seen[probename, 3] += 67;
	@a17["k1", 1] = sum(67);
}

BEGIN
{
	text = "/a68/./b68/../C0/d";
	number += strlen(text);
	@a18[self->last] = min(68);
}

BEGIN
{
	seen[probename, 5] += 69;
	printf("%s 69: %d %s %d\n", probename, number,
	    self->last, seen[probename, 5]);
	if (number % 6 == 0) {
		number += 69;
	} else {
		seen["else", 1]++;
	}
	@a19[seen[probename, 0] != 0] = max(69);
}

BEGIN
{
	seen[probename, 6] += 70;
	@a20 = avg(70);
}

BEGIN
{
	seen[probename, 7] += 71;
	@a21[probename] = stddev(71);
}

BEGIN
{
	text = "/a72/./b72/../C0/d";
	this->s = strchr(text, '/');
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 4 == 0) {
		number += 72;
	} else {
		seen["else", 0]++;
	}
	@a22["k0", 0] = quantize(72);
}

BEGIN
{
	seen[probename, 1] += 73;
	@a23[self->last] = lquantize(73, 0, 100, 10);
}

BEGIN
{
	seen[probename, 2] += 74;
	@a24[seen[probename, 0] != 0] = count();
}

BEGIN
{
	seen[probename, 3] += 75;
	if (number % 2 == 0) {
		number += 75;
	} else {
		seen["else", 3]++;
	}
	@a25 = sum(75);
}

BEGIN
{
	text = "/a76/./b76/../C0/d";
	this->s = strrchr(text, '/');
	self->last = this->s == NULL ? "none" : this->s;
	@a26[probename] = min(76);
}

BEGIN
{
	seen[probename, 5] += 77;
	@a27["k2", 1] = max(77);
}

BEGIN
{
	seen[probename, 6] += 78;
	if (number % 5 == 0) {
		number += 78;
	} else {
		seen["else", 2]++;
	}
	@a28[self->last] = avg(78);
}

BEGIN
{
	seen[probename, 7] += 79;
	printf("%s 79: %d %s %d\n", probename, number,
	    self->last, seen[probename, 7]);
	@a29[seen[probename, 0] != 0] = stddev(79);
}

BEGIN
{
	text = "/a80/./b80/../C0/d";
	this->s = strstr(text, "b20");
	self->last = this->s == NULL ? "none" : this->s;
	@a30 = quantize(80);
}

BEGIN
{
	seen[probename, 1] += 81;
	if (number % 3 == 0) {
		number += 81;
	} else {
		seen["else", 1]++;
	}
	@a31[probename] = lquantize(81, 0, 100, 10);
}

BEGIN
{
	seen[probename, 2] += 82;
	@a32["k1", 0] = count();
}

BEGIN
{
	seen[probename, 3] += 83;
	@a33[self->last] = sum(83);
}

BEGIN
{
	text = "/a84/./b84/../C0/d";
	this->s = strtok(text, "/");
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 6 == 0) {
		number += 84;
	} else {
		seen["else", 0]++;
	}
	@a34[seen[probename, 0] != 0] = min(84);
}

BEGIN
{
	seen[probename, 5] += 85;
	@a35 = max(85);
}

BEGIN
{
	seen[probename, 6] += 86;
	@a36[probename] = avg(86);
}

BEGIN
{
	seen[probename, 7] += 87;
	if (number % 4 == 0) {
		number += 87;
	} else {
		seen["else", 3]++;
	}
	@a37["k0", 1] = stddev(87);
}

BEGIN
{
	text = "/a88/./b88/../C0/d";
	this->s = strjoin(text, "22");
	self->last = this->s == NULL ? "none" : this->s;
	@a38[self->last] = quantize(88);
}

BEGIN
{
	seen[probename, 1] += 89;
	printf("%s 89: %d %s %d\n", probename, number,
	    self->last, seen[probename, 1]);
	@a39[seen[probename, 0] != 0] = lquantize(89, 0, 100, 10);
}

BEGIN
{
	seen[probename, 2] += 90;
	if (number % 2 == 0) {
		number += 90;
	} else {
		seen["else", 2]++;
	}
	@a40 = count();
}

BEGIN
{
	seen[probename, 3] += 91;
	@a41[probename] = sum(91);
}

BEGIN
{
	text = "/a92/./b92/../C0/d";
	number += strtoll("230");
	@a42["k2", 0] = min(92);
}

BEGIN
{
	seen[probename, 5] += 93;
	if (number % 5 == 0) {
		number += 93;
	} else {
		seen["else", 1]++;
	}
	@a43[self->last] = max(93);
}

BEGIN
{
	seen[probename, 6] += 94;
	@a44[seen[probename, 0] != 0] = avg(94);
}

BEGIN
{
	seen[probename, 7] += 95;
	@a45 = stddev(95);
}

BEGIN
{
	text = "/a96/./b96/../C0/d";
	this->s = substr(text, 24 % 7);
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 3 == 0) {
		number += 96;
	} else {
		seen["else", 0]++;
	}
	@a46[probename] = quantize(96);
}

BEGIN
{
	seen[probename, 1] += 97;
	@a47["k1", 1] = lquantize(97, 0, 100, 10);
}

BEGIN
{
	seen[probename, 2] += 98;
	@a48[self->last] = count();
}

BEGIN
{
	seen[probename, 3] += 99;
	printf("%s 99: %d %s %d\n", probename, number,
	    self->last, seen[probename, 3]);
	if (number % 6 == 0) {
		number += 99;
	} else {
		seen["else", 3]++;
	}
	@a49[seen[probename, 0] != 0] = sum(99);
}

syscall::exit_group:entry
/progenyof($target)/
{
	text = "/a100/./b100/../C0/d";
	this->s = substr(text, 1, 25 % 9);
	self->last = this->s == NULL ? "none" : this->s;
	@a0 = count();
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 5] += 101;
	@a1[probename] = sum(101);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 6] += 102;
	if (number % 4 == 0) {
		number += 102;
	} else {
		seen["else", 2]++;
	}
	@a2["k0", 0] = min(102);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 7] += 103;
	@a3[self->last] = max(103);
}

syscall::exit_group:entry
/progenyof($target)/
{
	text = "/a104/./b104/../C0/d";
	number += index(text, "b");
	@a4[seen[probename, 0] != 0] = avg(104);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 1] += 105;
	if (number % 2 == 0) {
		number += 105;
	} else {
		seen["else", 1]++;
	}
	@a5 = stddev(105);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 2] += 106;
	@a6[probename] = quantize(106);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 3] += 107;
	@a7["k2", 1] = lquantize(107, 0, 100, 10);
}

syscall::exit_group:entry
/progenyof($target)/
{
	text = "/a108/./b108/../C0/d";
	number += rindex(text, "/");
	if (number % 5 == 0) {
		number += 108;
	} else {
		seen["else", 0]++;
	}
	@a8[self->last] = count();
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 5] += 109;
	printf("%s 109: %d %s %d\n", probename, number,
	    self->last, seen[probename, 5]);
	@a9[seen[probename, 0] != 0] = sum(109);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 6] += 110;
	@a10 = min(110);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 7] += 111;
	if (number % 3 == 0) {
		number += 111;
	} else {
		seen["else", 3]++;
	}
	@a11[probename] = max(111);
}

syscall::exit_group:entry
/progenyof($target)/
{
	text = "/a112/./b112/../C0/d";
	this->s = basename(text);
	self->last = this->s == NULL ? "none" : this->s;
	@a12["k1", 0] = avg(112);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 1] += 113;
	@a13[self->last] = stddev(113);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 2] += 114;
	if (number % 6 == 0) {
		number += 114;
	} else {
		seen["else", 2]++;
	}
	@a14[seen[probename, 0] != 0] = quantize(114);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 3] += 115;
	@a15 = lquantize(115, 0, 100, 10);
}

syscall::exit_group:entry
/progenyof($target)/
{
	text = "/a116/./b116/../C0/d";
	this->s = dirname(text);
	self->last = this->s == NULL ? "none" : this->s;
	@a16[probename] = count();
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 5] += 117;
	if (number % 4 == 0) {
		number += 117;
	} else {
		seen["else", 1]++;
	}
	@a17["k0", 1] = sum(117);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 6] += 118;
	@a18[self->last] = min(118);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 7] += 119;
	printf("%s 119: %d %s %d\n", probename, number,
	    self->last, seen[probename, 7]);
	@a19[seen[probename, 0] != 0] = max(119);
}

syscall::exit_group:entry
/progenyof($target)/
{
	text = "/a120/./b120/../C0/d";
	this->s = cleanpath(text);
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 2 == 0) {
		number += 120;
	} else {
		seen["else", 0]++;
	}
	@a20 = avg(120);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 1] += 121;
	@a21[probename] = stddev(121);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 2] += 122;
	@a22["k2", 0] = quantize(122);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 3] += 123;
	if (number % 5 == 0) {
		number += 123;
	} else {
		seen["else", 3]++;
	}
	@a23[self->last] = lquantize(123, 0, 100, 10);
}

syscall::exit_group:entry
/progenyof($target)/
{
	text = "/a124/./b124/../C0/d";
	this->s = lltostr(31);
	self->last = this->s == NULL ? "none" : this->s;
	@a24[seen[probename, 0] != 0] = count();
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 5] += 125;
	@a25 = sum(125);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 6] += 126;
	if (number % 3 == 0) {
		number += 126;
	} else {
		seen["else", 2]++;
	}
	@a26[probename] = min(126);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 7] += 127;
	@a27["k1", 1] = max(127);
}

syscall::exit_group:entry
/progenyof($target)/
{
	text = "/a128/./b128/../C0/d";
	this->s = toupper(text);
	self->last = this->s == NULL ? "none" : this->s;
	@a28[self->last] = avg(128);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 1] += 129;
	printf("%s 129: %d %s %d\n", probename, number,
	    self->last, seen[probename, 1]);
	if (number % 6 == 0) {
		number += 129;
	} else {
		seen["else", 1]++;
	}
	@a29[seen[probename, 0] != 0] = stddev(129);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 2] += 130;
	@a30 = quantize(130);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 3] += 131;
	@a31[probename] = lquantize(131, 0, 100, 10);
}

syscall::exit_group:entry
/progenyof($target)/
{
	text = "/a132/./b132/../C0/d";
	this->s = tolower(text);
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 4 == 0) {
		number += 132;
	} else {
		seen["else", 0]++;
	}
	@a32["k0", 0] = count();
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 5] += 133;
	@a33[self->last] = sum(133);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 6] += 134;
	@a34[seen[probename, 0] != 0] = min(134);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 7] += 135;
	if (number % 2 == 0) {
		number += 135;
	} else {
		seen["else", 3]++;
	}
	@a35 = max(135);
}

syscall::exit_group:entry
/progenyof($target)/
{
	text = "/a136/./b136/../C0/d";
	number += strlen(text);
	@a36[probename] = avg(136);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 1] += 137;
	@a37["k2", 1] = stddev(137);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 2] += 138;
	if (number % 5 == 0) {
		number += 138;
	} else {
		seen["else", 2]++;
	}
	@a38[self->last] = quantize(138);
}

syscall::exit_group:entry
/progenyof($target)/
{
	seen[probename, 3] += 139;
	printf("%s 139: %d %s %d\n", probename, number,
	    self->last, seen[probename, 3]);
	@a39[seen[probename, 0] != 0] = lquantize(139, 0, 100, 10);
}

proc:::exec-success
/progenyof($target)/
{
	text = "/a140/./b140/../C0/d";
	this->s = strchr(text, '/');
	self->last = this->s == NULL ? "none" : this->s;
	@a40 = count();
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 5] += 141;
	if (number % 3 == 0) {
		number += 141;
	} else {
		seen["else", 1]++;
	}
	@a41[probename] = sum(141);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 6] += 142;
	@a42["k1", 0] = min(142);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 7] += 143;
	@a43[self->last] = max(143);
}

proc:::exec-success
/progenyof($target)/
{
	text = "/a144/./b144/../C0/d";
	this->s = strrchr(text, '/');
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 6 == 0) {
		number += 144;
	} else {
		seen["else", 0]++;
	}
	@a44[seen[probename, 0] != 0] = avg(144);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 1] += 145;
	@a45 = stddev(145);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 2] += 146;
	@a46[probename] = quantize(146);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 3] += 147;
	if (number % 4 == 0) {
		number += 147;
	} else {
		seen["else", 3]++;
	}
	@a47["k0", 1] = lquantize(147, 0, 100, 10);
}

proc:::exec-success
/progenyof($target)/
{
	text = "/a148/./b148/../C0/d";
	this->s = strstr(text, "b37");
	self->last = this->s == NULL ? "none" : this->s;
	@a48[self->last] = count();
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 5] += 149;
	printf("%s 149: %d %s %d\n", probename, number,
	    self->last, seen[probename, 5]);
	@a49[seen[probename, 0] != 0] = sum(149);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 6] += 150;
	if (number % 2 == 0) {
		number += 150;
	} else {
		seen["else", 2]++;
	}
	@a0 = count();
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 7] += 151;
	@a1[probename] = sum(151);
}

proc:::exec-success
/progenyof($target)/
{
	text = "/a152/./b152/../C0/d";
	this->s = strtok(text, "/");
	self->last = this->s == NULL ? "none" : this->s;
	@a2["k2", 0] = min(152);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 1] += 153;
	if (number % 5 == 0) {
		number += 153;
	} else {
		seen["else", 1]++;
	}
	@a3[self->last] = max(153);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 2] += 154;
	@a4[seen[probename, 0] != 0] = avg(154);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 3] += 155;
	@a5 = stddev(155);
}

proc:::exec-success
/progenyof($target)/
{
	text = "/a156/./b156/../C0/d";
	this->s = strjoin(text, "39");
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 3 == 0) {
		number += 156;
	} else {
		seen["else", 0]++;
	}
	@a6[probename] = quantize(156);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 5] += 157;
	@a7["k1", 1] = lquantize(157, 0, 100, 10);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 6] += 158;
	@a8[self->last] = count();
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 7] += 159;
	printf("%s 159: %d %s %d\n", probename, number,
	    self->last, seen[probename, 7]);
	if (number % 6 == 0) {
		number += 159;
	} else {
		seen["else", 3]++;
	}
	@a9[seen[probename, 0] != 0] = sum(159);
}

proc:::exec-success
/progenyof($target)/
{
	text = "/a160/./b160/../C0/d";
	number += strtoll("400");
	@a10 = min(160);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 1] += 161;
	@a11[probename] = max(161);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 2] += 162;
	if (number % 4 == 0) {
		number += 162;
	} else {
		seen["else", 2]++;
	}
	@a12["k0", 0] = avg(162);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 3] += 163;
	@a13[self->last] = stddev(163);
}

proc:::exec-success
/progenyof($target)/
{
	text = "/a164/./b164/../C0/d";
	this->s = substr(text, 41 % 7);
	self->last = this->s == NULL ? "none" : this->s;
	@a14[seen[probename, 0] != 0] = quantize(164);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 5] += 165;
	if (number % 2 == 0) {
		number += 165;
	} else {
		seen["else", 1]++;
	}
	@a15 = lquantize(165, 0, 100, 10);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 6] += 166;
	@a16[probename] = count();
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 7] += 167;
	@a17["k2", 1] = sum(167);
}

proc:::exec-success
/progenyof($target)/
{
	text = "/a168/./b168/../C0/d";
	this->s = substr(text, 1, 42 % 9);
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 5 == 0) {
		number += 168;
	} else {
		seen["else", 0]++;
	}
	@a18[self->last] = min(168);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 1] += 169;
	printf("%s 169: %d %s %d\n", probename, number,
	    self->last, seen[probename, 1]);
	@a19[seen[probename, 0] != 0] = max(169);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 2] += 170;
	@a20 = avg(170);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 3] += 171;
	if (number % 3 == 0) {
		number += 171;
	} else {
		seen["else", 3]++;
	}
	@a21[probename] = stddev(171);
}

proc:::exec-success
/progenyof($target)/
{
	text = "/a172/./b172/../C0/d";
	number += index(text, "b");
	@a22["k1", 0] = quantize(172);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 5] += 173;
	@a23[self->last] = lquantize(173, 0, 100, 10);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 6] += 174;
	if (number % 6 == 0) {
		number += 174;
	} else {
		seen["else", 2]++;
	}
	@a24[seen[probename, 0] != 0] = count();
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 7] += 175;
	@a25 = sum(175);
}

proc:::exec-success
/progenyof($target)/
{
	text = "/a176/./b176/../C0/d";
	number += rindex(text, "/");
	@a26[probename] = min(176);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 1] += 177;
	if (number % 4 == 0) {
		number += 177;
	} else {
		seen["else", 1]++;
	}
	@a27["k0", 1] = max(177);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 2] += 178;
	@a28[self->last] = avg(178);
}

proc:::exec-success
/progenyof($target)/
{
	seen[probename, 3] += 179;
	printf("%s 179: %d %s %d\n", probename, number,
	    self->last, seen[probename, 3]);
	@a29[seen[probename, 0] != 0] = stddev(179);
}

END
{
	text = "/a180/./b180/../C0/d";
	this->s = basename(text);
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 2 == 0) {
		number += 180;
	} else {
		seen["else", 0]++;
	}
	@a30 = quantize(180);
}

END
{
	seen[probename, 5] += 181;
	@a31[probename] = lquantize(181, 0, 100, 10);
}

END
{
	seen[probename, 6] += 182;
	@a32["k2", 0] = count();
}

END
{
	seen[probename, 7] += 183;
	if (number % 5 == 0) {
		number += 183;
	} else {
		seen["else", 3]++;
	}
	@a33[self->last] = sum(183);
}

END
{
	text = "/a184/./b184/../C0/d";
	this->s = dirname(text);
	self->last = this->s == NULL ? "none" : this->s;
	@a34[seen[probename, 0] != 0] = min(184);
}

END
{
	seen[probename, 1] += 185;
	@a35 = max(185);
}

END
{
	seen[probename, 2] += 186;
	if (number % 3 == 0) {
		number += 186;
	} else {
		seen["else", 2]++;
	}
	@a36[probename] = avg(186);
}

END
{
	seen[probename, 3] += 187;
	@a37["k1", 1] = stddev(187);
}

END
{
	text = "/a188/./b188/../C0/d";
	this->s = cleanpath(text);
	self->last = this->s == NULL ? "none" : this->s;
	@a38[self->last] = quantize(188);
}

END
{
	seen[probename, 5] += 189;
	printf("%s 189: %d %s %d\n", probename, number,
	    self->last, seen[probename, 5]);
	if (number % 6 == 0) {
		number += 189;
	} else {
		seen["else", 1]++;
	}
	@a39[seen[probename, 0] != 0] = lquantize(189, 0, 100, 10);
}

END
{
	seen[probename, 6] += 190;
	@a40 = count();
}

END
{
	seen[probename, 7] += 191;
	@a41[probename] = sum(191);
}

END
{
	text = "/a192/./b192/../C0/d";
	this->s = lltostr(48);
	self->last = this->s == NULL ? "none" : this->s;
	if (number % 4 == 0) {
		number += 192;
	} else {
		seen["else", 0]++;
	}
	@a42["k0", 0] = min(192);
}

END
{
	seen[probename, 1] += 193;
	@a43[self->last] = max(193);
}

END
{
	seen[probename, 2] += 194;
	@a44[seen[probename, 0] != 0] = avg(194);
}

END
{
	seen[probename, 3] += 195;
	if (number % 2 == 0) {
		number += 195;
	} else {
		seen["else", 3]++;
	}
	@a45 = stddev(195);
}

END
{
	text = "/a196/./b196/../C0/d";
	this->s = toupper(text);
	self->last = this->s == NULL ? "none" : this->s;
	@a46[probename] = quantize(196);
}

END
{
	seen[probename, 5] += 197;
	@a47["k2", 1] = lquantize(197, 0, 100, 10);
}

END
{
	seen[probename, 6] += 198;
	if (number % 5 == 0) {
		number += 198;
	} else {
		seen["else", 2]++;
	}
	@a48[self->last] = count();
}

END
{
	seen[probename, 7] += 199;
	printf("%s 199: %d %s %d\n", probename, number,
	    self->last, seen[probename, 7]);
	@a49[seen[probename, 0] != 0] = sum(199);
}

END
{
	printa(@a0);
	printa(@a1);
	printa(@a2);
	printa(@a3);
	printa(@a4);
	printa(@a5);
	printa(@a6);
	printa(@a7);
	printa(@a8);
	printa(@a9);
	printa(@a10);
	printa(@a11);
	printa(@a12);
	printa(@a13);
	printa(@a14);
	printa(@a15);
	printa(@a16);
	printa(@a17);
	printa(@a18);
	printa(@a19);
	printa(@a20);
	printa(@a21);
	printa(@a22);
	printa(@a23);
	printa(@a24);
	printa(@a25);
	printa(@a26);
	printa(@a27);
	printa(@a28);
	printa(@a29);
	printa(@a30);
	printa(@a31);
	printa(@a32);
	printa(@a33);
	printa(@a34);
	printa(@a35);
	printa(@a36);
	printa(@a37);
	printa(@a38);
	printa(@a39);
	printa(@a40);
	printa(@a41);
	printa(@a42);
	printa(@a43);
	printa(@a44);
	printa(@a45);
	printa(@a46);
	printa(@a47);
	printa(@a48);
	printa(@a49);
}
