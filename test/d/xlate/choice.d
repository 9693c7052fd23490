/*
 * Which translator: exact type, then without typedefs, then compatible, then
 * any integer.
 *
 * @needs: bpf
 * @engines: kernel process
 */
typedef struct o { string how; } o_t;
typedef int mine_t;
struct foo { int a; };
typedef struct foo foo_t;

translator o_t < mine_t I > { how = "mine_t"; };
translator o_t < unsigned char C > { how = "unsigned char"; };
translator o_t < foo_t *P > { how = "foo_t *"; };
translator o_t < char *S > { how = "char *"; };

mine_t m;
const struct foo *f;
char *s;
BEGIN
{
	printf("%s\n", xlate <o_t>(m).how);
	printf("%s\n", xlate <o_t>(1).how);
	printf("%s\n", xlate <o_t>((pid_t)1).how);
	printf("%s\n", xlate <o_t>((uint8_t)1).how);
	printf("%s\n", xlate <struct o *>(f)->how);
	printf("%s\n", xlate <o_t>((struct foo *)0).how);
	printf("%s\n", xlate <o_t>(s).how);
	printf("%s\n", xlate <o_t>((const char *)0).how);
	exit(0);
}
