/*
 * A report: rates, the largest only, and a fresh start.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f 2 name
 */
#pragma D option defaultargs
inline int TOP = $1 ? $1 : 5;
inline string WHAT = $$2 == "" ? "all" : $$2;
inline string UNIT = $$3 == "" ? "calls" : $$3;

BEGIN
{
	printf("the first %d of %s, in %s\n", TOP, WHAT, UNIT);
	@calls["read"] = sum(3000); @calls["write"] = sum(9000);
	@calls["open"] = sum(1000); @calls["close"] = sum(2000);
	@most = max(9000); @least = min(1000);
}

BEGIN
{
	trunc(@calls, TOP);
	normalize(@calls, 1000);
	printf("%-10s %8s\n", "CALL", "PER MS");
	printa("%-10s %@8d\n", @calls);
	printa("most %@d, ", @most);
	printa("least %@d\n", @least);
	denormalize(@calls);
	clear(@calls);
	printa("%-10s %@8d\n", @calls);
	trunc(@calls);
	printa("nothing %s %@d\n", @calls);
	exit(0);
}
