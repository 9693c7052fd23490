/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unistd.d - the constants of calls that have to do with files, memory and
 * processes, as <fcntl.h>, <sys/stat.h>, <sys/mman.h>, <sys/wait.h>, <sched.h>
 * and <unistd.h> have them, and one of D's own.
 */

/* open(), and fi_oflags of fileinfo_t. */
inline int O_RDONLY = 0;
inline int O_WRONLY = 01;
inline int O_RDWR = 02;
inline int O_ACCMODE = 03;
inline int O_CREAT = 0100;
inline int O_EXCL = 0200;
inline int O_NOCTTY = 0400;
inline int O_TRUNC = 01000;
inline int O_APPEND = 02000;
inline int O_NONBLOCK = 04000;
inline int O_NDELAY = 04000;
inline int O_DSYNC = 010000;
inline int O_ASYNC = 020000;
inline int O_DIRECT = 040000;
inline int O_DIRECTORY = 0200000;
inline int O_NOFOLLOW = 0400000;
inline int O_NOATIME = 01000000;
inline int O_CLOEXEC = 02000000;
inline int O_SYNC = 04010000;
inline int O_RSYNC = 04010000;
inline int O_PATH = 010000000;
inline int O_TMPFILE = 020200000;

/* openat() and its like; access(). */
inline int AT_FDCWD = -100;
inline int AT_SYMLINK_NOFOLLOW = 256;
inline int AT_EACCESS = 512;
inline int AT_REMOVEDIR = 512;
inline int AT_SYMLINK_FOLLOW = 1024;
inline int AT_NO_AUTOMOUNT = 2048;
inline int AT_EMPTY_PATH = 4096;
inline int F_OK = 0;
inline int X_OK = 1;
inline int W_OK = 2;
inline int R_OK = 4;

/* lseek(), flock(), fcntl(). */
inline int SEEK_SET = 0;
inline int SEEK_CUR = 1;
inline int SEEK_END = 2;
inline int SEEK_DATA = 3;
inline int SEEK_HOLE = 4;
inline int LOCK_SH = 1;
inline int LOCK_EX = 2;
inline int LOCK_NB = 4;
inline int LOCK_UN = 8;
inline int F_DUPFD = 0;
inline int F_GETFD = 1;
inline int FD_CLOEXEC = 1;
inline int F_SETFD = 2;
inline int F_GETFL = 3;
inline int F_SETFL = 4;
inline int F_GETLK = 5;
inline int F_SETLK = 6;
inline int F_SETLKW = 7;
inline int F_SETOWN = 8;
inline int F_GETOWN = 9;
inline int F_SETSIG = 10;
inline int F_GETSIG = 11;
inline int F_SETLEASE = 1024;
inline int F_GETLEASE = 1025;
inline int F_NOTIFY = 1026;
inline int F_DUPFD_CLOEXEC = 1030;
inline int F_SETPIPE_SZ = 1031;
inline int F_GETPIPE_SZ = 1032;
inline int F_ADD_SEALS = 1033;
inline int F_GET_SEALS = 1034;

/* Modes of files. */
inline int S_IXOTH = 01;
inline int S_IWOTH = 02;
inline int S_IROTH = 04;
inline int S_IRWXO = 07;
inline int S_IXGRP = 010;
inline int S_IWGRP = 020;
inline int S_IRGRP = 040;
inline int S_IRWXG = 070;
inline int S_IXUSR = 0100;
inline int S_IWUSR = 0200;
inline int S_IRUSR = 0400;
inline int S_IRWXU = 0700;
inline int S_ISVTX = 01000;
inline int S_ISGID = 02000;
inline int S_ISUID = 04000;
inline int S_IFIFO = 010000;
inline int S_IFCHR = 020000;
inline int S_IFDIR = 040000;
inline int S_IFBLK = 060000;
inline int S_IFREG = 0100000;
inline int S_IFLNK = 0120000;
inline int S_IFSOCK = 0140000;
inline int S_IFMT = 0170000;

/* mmap(), mprotect(). */
inline int PROT_NONE = 0x0;
inline int PROT_READ = 0x1;
inline int MAP_SHARED = 0x1;
inline int PROT_WRITE = 0x2;
inline int MAP_PRIVATE = 0x2;
inline int MAP_SHARED_VALIDATE = 0x3;
inline int PROT_EXEC = 0x4;
inline int MAP_FIXED = 0x10;
inline int MAP_ANONYMOUS = 0x20;
inline int MAP_ANON = 0x20;
inline int MAP_32BIT = 0x40;
inline int MAP_GROWSDOWN = 0x100;
inline int MAP_DENYWRITE = 0x800;
inline int MAP_LOCKED = 0x2000;
inline int MAP_NORESERVE = 0x4000;
inline int MAP_POPULATE = 0x8000;
inline int MAP_NONBLOCK = 0x10000;
inline int MAP_STACK = 0x20000;
inline int MAP_HUGETLB = 0x40000;
inline int MAP_SYNC = 0x80000;
inline int MAP_FIXED_NOREPLACE = 0x100000;

/* madvise(), msync(). */
inline int MADV_NORMAL = 0;
inline int MADV_RANDOM = 1;
inline int MADV_SEQUENTIAL = 2;
inline int MADV_WILLNEED = 3;
inline int MADV_DONTNEED = 4;
inline int MADV_FREE = 8;
inline int MADV_REMOVE = 9;
inline int MADV_DONTFORK = 10;
inline int MADV_DOFORK = 11;
inline int MADV_HUGEPAGE = 14;
inline int MADV_NOHUGEPAGE = 15;
inline int MS_ASYNC = 1;
inline int MS_INVALIDATE = 2;
inline int MS_SYNC = 4;

/* clone(), unshare(). */
inline int CLONE_NEWTIME = 0x80;
inline int CLONE_VM = 0x100;
inline int CLONE_FS = 0x200;
inline int CLONE_FILES = 0x400;
inline int CLONE_SIGHAND = 0x800;
inline int CLONE_PIDFD = 0x1000;
inline int CLONE_PTRACE = 0x2000;
inline int CLONE_VFORK = 0x4000;
inline int CLONE_PARENT = 0x8000;
inline int CLONE_THREAD = 0x10000;
inline int CLONE_NEWNS = 0x20000;
inline int CLONE_SYSVSEM = 0x40000;
inline int CLONE_SETTLS = 0x80000;
inline int CLONE_PARENT_SETTID = 0x100000;
inline int CLONE_CHILD_CLEARTID = 0x200000;
inline int CLONE_DETACHED = 0x400000;
inline int CLONE_UNTRACED = 0x800000;
inline int CLONE_CHILD_SETTID = 0x1000000;
inline int CLONE_NEWCGROUP = 0x2000000;
inline int CLONE_NEWUTS = 0x4000000;
inline int CLONE_NEWIPC = 0x8000000;
inline int CLONE_NEWUSER = 0x10000000;
inline int CLONE_NEWPID = 0x20000000;
inline int CLONE_NEWNET = 0x40000000;
inline int CLONE_IO = 0x80000000;

/* waitpid(), and scheduling policies. */
inline int WNOHANG = 1;
inline int WUNTRACED = 2;
inline int WSTOPPED = 2;
inline int WEXITED = 4;
inline int WCONTINUED = 8;
inline int WNOWAIT = 16777216;
inline int SCHED_OTHER = 0;
inline int SCHED_FIFO = 1;
inline int SCHED_RR = 2;
inline int SCHED_BATCH = 3;
inline int SCHED_IDLE = 5;
inline int SCHED_DEADLINE = 6;

/* poll(). */
inline int POLLIN = 0x1;
inline int POLLPRI = 0x2;
inline int POLLOUT = 0x4;
inline int POLLERR = 0x8;
inline int POLLHUP = 0x10;
inline int POLLNVAL = 0x20;
inline int POLLRDHUP = 0x2000;

/* arg4 of dtrace:::ERROR: a fault that a D library has reported. */
inline int DTRACEFLT_LIBRARY = 1000;
