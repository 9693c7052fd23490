/* Probes of static_target.c and static_lib.c; see test/sys/static. */
struct job {
	int id;
	char *name;
};

typedef struct saleinfo {
	int si_id;
	string si_name;
} saleinfo_t;

translator saleinfo_t < struct job *j > {
	si_id = 1000 + *(int *)copyin((uintptr_t)&j->id, 4);
	si_name = copyinstr(*(uintptr_t *)copyin((uintptr_t)&j->name, 8));
};

#pragma D attributes Evolving/Evolving/Common provider shop provider
#pragma D attributes Stable/Stable/ISA provider shop args

provider shop {
	probe sale__start(int number, struct job *j);
	probe sale__done(char *name, int price) : (int price, char *name);
	probe rare(int);
	probe kept(struct job *j) : (saleinfo_t *j);
	probe lib__call(int);
};
