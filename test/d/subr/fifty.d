/*
 * More than fifty calls that deal with strings: is it too much for the kernel?
 *
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	s = "/usr/lib/x";
	t = "lib";
	j = "{\"a\": [1, 2], \"b\": {\"c\": \"d\"}}";
}

BEGIN
{
	this->a = (uint32_t *)alloca(16);
	this->a[0] = 0x61626364;
	printf("%d\n", strlen(s));
	printf("%s\n", strjoin(s, t));
	printf("%s\n", strchr(s, '/'));
	printf("%s\n", strrchr(s, '/'));
	printf("%s\n", strstr(s, t));
	printf("%s\n", strtok(s, "/"));
	printf("%s\n", strtok(NULL, "/"));
	printf("%s\n", substr(s, 5));
	printf("%s\n", substr(s, -4, 3));
	printf("%d\n", index(s, t));
	printf("%d\n", rindex(s, t));
	printf("%s\n", basename(s));
	printf("%s\n", dirname(s));
	printf("%s\n", cleanpath(s));
	printf("%s\n", toupper(s));
	printf("%s\n", tolower(s));
	printf("%s\n", lltostr(-5));
	printf("%s\n", lltostr(5, 2));
	printf("%d\n", strtoll("12"));
	printf("%s\n", json(j, "a[1]"));
	printf("%s\n", json(j, "b.c"));
	printf("%s\n", inet_ntoa(this->a));
	printf("%s\n", inet_ntop(10, this->a));
	printf("%s\n", inet_ntoa6(this->a, 0));
	printf("%s\n", link_ntop(1, this->a));
	printf("%s\n", uuidtostr(this->a));
	printf("%s\n", memstr(this->a, '.', 8));
}

BEGIN
{
	this->a = (uint32_t *)alloca(16);
	this->a[0] = 0x61626364;
	@n[strlen(s)] = count();
	@s[strjoin(s, t)] = count();
	@s[strchr(s, '/')] = count();
	@s[strrchr(s, '/')] = count();
	@s[strstr(s, t)] = count();
	@s[strtok(s, "/")] = count();
	@s[strtok(NULL, "/")] = count();
	@s[substr(s, 5)] = count();
	@s[substr(s, -4, 3)] = count();
	@n[index(s, t)] = count();
	@n[rindex(s, t)] = count();
	@s[basename(s)] = count();
	@s[dirname(s)] = count();
	@s[cleanpath(s)] = count();
	@s[toupper(s)] = count();
	@s[tolower(s)] = count();
	@s[lltostr(-5)] = count();
	@s[lltostr(5, 2)] = count();
	@n[strtoll("12")] = count();
	@s[json(j, "a[1]")] = count();
	@s[json(j, "b.c")] = count();
	@s[inet_ntoa(this->a)] = count();
	@s[inet_ntop(10, this->a)] = count();
	@s[inet_ntoa6(this->a, 0)] = count();
	@s[link_ntop(1, this->a)] = count();
	@s[uuidtostr(this->a)] = count();
	@s[memstr(this->a, '.', 8)] = count();
}

BEGIN
{
	exit(0);
}
