/*
 * -C: headers of the C library and of the kernel.  What they declare is there,
 * and D's functions, inlines and types that they declare again stay or are
 * hidden: raise() is D's, SOCK_STREAM both, siginfo_t the header's.
 * @run: -C -eqs %f
 */
#include <sys/types.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct psinfo { int of_the_program; };
typedef struct psinfo lwpsinfo_t;

BEGIN
/sizeof(siginfo_t) == 128 && sizeof(lwpsinfo_t) == sizeof(int)/
{
	this->sa = (struct sockaddr_in *)copyin(arg0, sizeof(struct sockaddr_in));
	printf("%d %d", this->sa->sin_port, ((siginfo_t *)NULL)->si_pid);
	printf("%d %s", SOCK_STREAM + SIGUSR1 + O_CREAT, strchr("abc", tolower("B")[0]));
}

proc:::signal-send
/args[1]->pr_pid == 1/
{
	trace(args[0]->pr_lwpid);
}
