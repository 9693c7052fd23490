/*
 * Nothing leaves a clause, but there is an action of this name elsewhere.
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
BEGIN
{
	return;
}

BEGIN
{
	return(1);
}
