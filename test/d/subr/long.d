/*
 * Strings as long as they get, in each subroutine that takes some.
 *
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -xstrsize=64k
 */
string s, k, p, low;
string of[string], at[int];

BEGIN /* s: 65535 characters */
{
	s = "0123456789abcde/";
	s = strjoin(s, s);
	s = strjoin(s, s);
	s = strjoin(s, s);
	s = strjoin(s, s);
	s = strjoin(s, s);
	s = strjoin(s, s);
	s = strjoin(s, s);
	s = strjoin(s, s);
	s = strjoin(s, s);
	k = s;
}

BEGIN
{
	s = strjoin(s, s);
}

BEGIN
{
	s = strjoin(s, s);
}

BEGIN
{
	s = strjoin(s, s);
	printf("%d\n", strlen(s));
}

BEGIN
{
	s = strjoin(substr(s, 0, 65532), "END");
	printf("%d %s\n", strlen(s), substr(s, 65519));
}

BEGIN
{
	printf("%d %d %d\n", index(s, "END"), rindex(s, "END"),
	    rindex(s, "0123456789abcde/01"));
	printf("%d\n", index(s, "9abEN"));
	printf("%s %s\n", strstr(s, "9abEN"), strchr(s, 'E'));
}

BEGIN
{
	printf("%s %s %d\n", strrchr(s, '/'), basename(s),
	    strlen(dirname(s)));
}

BEGIN
{
	printf("%d %s\n", strlen(cleanpath(s)), substr(cleanpath(s), -7));
}

BEGIN
{
	this->c = strjoin("c", s);
	printf("%d %s\n", strlen(this->c), substr(this->c, 65519));
}

BEGIN /* each component but the first one steps back */
{
	low = "a/../";
	low = strjoin(low, low);
	low = strjoin(low, low);
	low = strjoin(low, low);
	low = strjoin(low, low);
	low = strjoin(low, low);
	low = strjoin(low, low);
	low = strjoin(low, low);
	low = strjoin(low, low);
	low = strjoin(low, low);
	low = strjoin(low, low);
	p = strjoin(low, low);
}

BEGIN
{
	p = strjoin(p, p);
	p = strjoin(p, p);
	printf("%d %s\n", strlen(p), cleanpath(strjoin(p, "b")));
}

BEGIN
{
	low = toupper(s);
	printf("%s\n", substr(low, -20));
}

BEGIN
{
	low = tolower(low);
	printf("%s %d %d %d\n", substr(low, -20), low == s, low > s, s < low);
}

BEGIN
{
	low = strtok(s, "E");
	printf("%d %s\n", strlen(low), strtok(NULL, "E"));
}

BEGIN /* a separator behind 60,000 others */
{
	low = strtok("find:me", strjoin(substr(s, 6, 60000), ":"));
	printf("%s\n", low == NULL ? "none" : low);
}

BEGIN
{
	low = strjoin(strjoin("{\"s\": \"", substr(s, 0, 65000)),
	    "\", \"n\": 42}");
	printf("%s %d\n", json(low, "n"), strlen(json(low, "s")));
}

BEGIN
{
	low = strjoin(substr(s, 0, 65000), "x");
	this->z = (char *)alloca(60000);
	bcopy(low, this->z, 60000);
	this->z[30000] = 0;
	printf("%d\n", strlen(memstr(this->z, '.', 60000)));
}

BEGIN
{
	of[s] = "of s";
	at[3] = s;
	printf("%s %s %d %d\n", of[strjoin("", s)], of[k] == NULL ? "none" : "",
	    strlen(at[3]), at[3] == s);
}

BEGIN
{
	@[strlen(s), substr(s, 0, 3)] = count();
	@l[s] = count();
	exit(0);
}

ERROR
{
	printf("fault %d in action %d\n", arg4, arg2);
}

END
{
	printa("%d %s %@d\n", @);
	printa("%.8s %@d\n", @l);
}
