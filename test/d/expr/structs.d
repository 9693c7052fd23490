/*
 * @needs: bpf
 * @engines: kernel process
 */

struct point { int x; int y; };
struct box { struct point a; struct point b; char name[8]; };
typedef struct bits { unsigned int lo : 4; unsigned int hi : 12; int s : 3; } bits_t;
enum color { RED, GREEN = 5, BLUE };
struct point p;
BEGIN
{
	printf("%d %d %d\n", sizeof(struct point), sizeof(struct box), sizeof(bits_t));
	printf("%d %d\n", offsetof(struct box, b), offsetof(struct box, name));
	printf("%d %d %d\n", RED, GREEN, BLUE);
	p.x = 3;
	p.y = -4;
	printf("%d %d\n", p.x, p.y);
	exit(0);
}
