/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lockstat.d - the kernel's sleeping locks: what a mutex or a reader/writer
 * semaphore is doing.  All of them take the lock's address and read its words,
 * as the kernel's own slow paths do.
 */

/* arg1 of lockstat:::rw-* */
inline int RW_WRITER = 0;
inline int RW_READER = 1;

/* The low bits of an owner's address are flags. */
inline struct task_struct *mutex_owner[struct mutex *M] =
	(struct task_struct *)(M->owner.counter & ~7);
inline int mutex_owned[struct mutex *M] = mutex_owner[M] == curthread;
/* Whoever waits for a struct mutex may sleep; for a spin lock never. */
inline int mutex_type_adaptive[struct mutex *M] = 1;
inline int mutex_type_spin[struct mutex *M] = 0;

/* count: bit 0 a writer has it, bits 8 and up the number of readers. */
inline int rw_write_held[struct rw_semaphore *L] = L->count.counter & 1;
inline int rw_read_held[struct rw_semaphore *L] =
	(L->count.counter & 1) == 0 &&
	(L->count.counter & 0x7fffffffffffff00) != 0;
inline int rw_iswriter[struct rw_semaphore *L] =
	(L->count.counter & 1) != 0 &&
	(struct task_struct *)(L->owner.counter & ~7) == curthread;
