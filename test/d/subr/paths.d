/*
 * Odd paths.
 *
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	printf("[%s] [%s] [%s] [%s] [%s]\n", basename(""), basename("/"),
	    basename("//"), basename("a/"), basename("/a//"));
	printf("[%s] [%s] [%s] [%s]\n", basename("."), basename(".."),
	    basename("a/.."), basename(" / "));
	printf("[%s] [%s] [%s] [%s] [%s]\n", dirname(""), dirname("/"),
	    dirname("//"), dirname("a/"), dirname("/a//"));
	printf("[%s] [%s] [%s] [%s]\n", dirname("."), dirname("a//b"),
	    dirname("a/.."), dirname("//a"));
	printf("[%s] [%s] [%s] [%s] [%s]\n", cleanpath(""), cleanpath("/"),
	    cleanpath("//"), cleanpath("."), cleanpath("./"));
	printf("[%s] [%s] [%s] [%s]\n", cleanpath(".."), cleanpath("/.."),
	    cleanpath("../a/.."), cleanpath("a/../.."));
	printf("[%s] [%s] [%s]\n", cleanpath("/a/b/../../.."),
	    cleanpath("a//./b/."), cleanpath("/...//.a/..b/"));
	exit(0);
}
