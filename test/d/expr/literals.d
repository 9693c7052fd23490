/*
 * Constants: their types, limits and escapes.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN {
	printf("%d %d %d %d\n", sizeof (1), sizeof (2147483647), sizeof (2147483648), sizeof (0xffffffff));
	printf("%d %d %d\n", 0x7fffffffffffffff, 0xffffffffffffffff, 0xffffffff);
	printf("%d %d %d %d\n", 1u, 1ul, 10LLU, 017);
	printf("%d %d %d\n", -2147483648, -9223372036854775807, 0777777);
	printf("%d %x %x %x\n", 'a', 'ab', 'abcd', 'abcdefgh');
	printf("%d %d %d %d %d\n", '\n', '\0', '\\', '\'', '\x41');
	printf("%d %d %d\n", '\377', '\101', '"');
	printf("[%s][%s]\n", "a\tb\"c\\d\x41\102e", "\q\z");
	printf("[%S]\n", "a\tb\n\001\377");
	printf("%d %d\n", sizeof ('a'), sizeof ("abc"));
	printf("%d\n", strlen(""));
	trace(""); trace("x"); trace('a');
}
BEGIN{exit(0);}
