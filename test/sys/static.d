/* Probes of static_target.c and static_lib.c; see test/sys/static. */
struct job {
	int id;
	char *name;
};

#pragma D attributes Evolving/Evolving/Common provider shop provider
#pragma D attributes Stable/Stable/ISA provider shop args

provider shop {
	probe sale__start(int number, struct job *j);
	probe sale__done(char *name, int price) : (int price, char *name);
	probe rare(int);
	probe lib__call(int);
};
