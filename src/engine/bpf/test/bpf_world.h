/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_world.h - what is of the kernel engine in its tests' enablings: the
 * probes fire in the test itself.
 */
#ifndef ENGINE_BPF_TEST_BPF_WORLD_H
#define ENGINE_BPF_TEST_BPF_WORLD_H

#include "rt/test/world.h"

/* Of functions and system calls: two arguments, the cookie, -3. */
extern const struct dif_recipes user_args;
/* A value by assembler: 1. */
extern const char one[];
/* A predicate by assembler: true in this process alone. */
const char *my_pid(void);
/* Call getppid(2) n times. */
void getppids(int n);

#endif
