typedef struct info { int i; } info_t;
translator info_t < userland struct raw *R > { i = 1; };
provider app { probe do__it(struct raw *r, int n) : (int n, info_t *r); };
#pragma D binding "1.2" translator
translator info_t < int I > { i = I; };
#pragma D attributes Evolving/Evolving/Common provider app args
app12:::do-it { trace(args[1]->i); }
