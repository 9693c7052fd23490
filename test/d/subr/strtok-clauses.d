/*
 * The rest of the string of strtok() is there for all clauses of a firing.  It
 * begins with the delimiter that ended the last token.
 *
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	printf("%s ", strtok("a b c d", " "));
	/* other strings in between */
	s = strjoin("x y", toupper("z"));
	printf("%s ", strtok(NULL, " "));
	printf("%s ", strtok(NULL, "z"));
	printf("%d\n", strtok(NULL, "z") == NULL);
}

BEGIN
/strtok(NULL, " ") == NULL && /* it has come to its end */
    strtok("p q", " ") == "p"/
{
	/* what the predicate began goes on */
	printf("%s ", strtok(NULL, " "));
	/* a new string ends the old one */
	printf("%s %s\n", strtok(";;1;2", ";"), strtok(NULL, ";"));
	printf("%d %d\n", strtok("", " ") == NULL, strtok("  ", " ") == NULL);
}

BEGIN
{
	exit(0);
}
