/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* opens.c - opens a library, and calls a function of it until it is killed. */
#include <dlfcn.h>
#include <unistd.h>

int
main(void)
{
	void *lib = dlopen("libm.so.6", RTLD_NOW);
	double (*fn)(double) = lib ? (double (*)(double))dlsym(lib, "cbrt") : 0;

	for (int i = 0; fn && i < 60000; i++) {
		fn(i);
		usleep(1000);
	}
	return 1;
}
