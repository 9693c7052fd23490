/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	j = "{\"a\": {\"b\": [1, {\"c\": \"x\\\"\\u00e9\"}, [2, -3.5e2]]}, \"t\": true, \"n\": null, \"o\": {}}";
	printf("%s|%s|%s|%s\n", json(j, "a.b[0]"), json(j, "a.b[1].c"),
	    json(j, "a.b[2][1]"), json(j, "t"));
	printf("%s|%s|%s|%s\n", json(j, "n"), json(j, "o"), json(j, "a.b[1]"),
	    json(j, "a"));
	printf("%d %d %d %d\n", json(j, "b") == NULL, json(j, "a.b[3]") == NULL,
	    json(j, "a.b.c") == NULL, json(j, "t.x") == NULL);
	printf("%d\n", strtoll(json(j, "a.b[0]")) + 1);
	/* a value may be looked into again */
	printf("%s\n", json(json(j, "a.b"), "[2][0]"));
}

/* the document ends at strsize */
BEGIN
{
	this->pad = "................................................";
	this->pad = strjoin(this->pad, strjoin(this->pad, this->pad));
	this->l = strjoin("[\"", strjoin(this->pad, this->pad));
	this->l = strjoin(this->l, "\", 7]");
	printf("%d %d\n", strlen(this->l), json(this->l, "[1]") == NULL);
	this->s = strjoin("[\"", strjoin(this->pad, "\", 7]"));
	printf("%d %s\n", strlen(this->s), json(this->s, "[1]"));
}

BEGIN
{
	/* no string there */
	trace(json((char *)8, "a"));
}

BEGIN
{
	trace(json("[]", (char *)16));
}

ERROR
{
	printf("fault %d %x\n", arg4, arg5);
}

BEGIN
{
	exit(0);
}
