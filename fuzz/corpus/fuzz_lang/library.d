#pragma D attributes Evolving/Evolving/Common provider app args
#pragma D binding "1.6.3" v
inline int v = 3;
inline int twice[int n] = n * 2;
translator struct cpuinfo < int *I > { cpu_id = *I; cpu_pset = (I) ? 1 : 2; };
provider app { probe q__start(char *, int) : (int); probe done(); };
