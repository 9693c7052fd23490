/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * io.d - files and requests to block devices: fileinfo_t and the descriptors
 * of the current process, fds[]; bufinfo_t and devinfo_t, what a struct bio
 * says of a request; the current and the root directory.
 *
 *	syscall::write:entry { @[fds[arg0].fi_pathname] = sum(arg2); }
 *
 * A descriptor that is not open has "<none>" for its names.
 */
#pragma D depends_on library errno.d
#pragma D depends_on library tcp.d

/* ---- files -------------------------------------------------------------- */

typedef struct fileinfo {
	string fi_name;		/* last part of the path */
	string fi_dirname;	/* the others */
	string fi_pathname;	/* whole */
	offset_t fi_offset;	/* where the next read or write begins */
	string fi_fs;		/* type of file system */
	string fi_mount;	/* path of the file system's root */
	int fi_oflags;		/* O_RDONLY ... of unistd.d */
	string fi_address;	/* of a socket, as below; "" of other files */
} fileinfo_t;

/* Where a file system is mounted: the path of its root, made up for d_path. */
inline string __mount_path[struct vfsmount *M] = (
	this->__mount = (struct path *)alloca(sizeof(struct path)),
	this->__mount->mnt = M,
	this->__mount->dentry = M->mnt_root,
	d_path(this->__mount));

/*
 * What a socket is bound to, and connected with: "127.0.0.1:80->127.0.0.1:4711",
 * "[::1]:53", "unix:/run/log", "unix:@abstract", "unix:->/run/log" for one that
 * has no name and whose peer has; of other families their number.
 */
inline struct sock *__file_sock[struct file *F] =
	F->f_path.dentry->d_sb->s_magic == 0x534f434b ?
	((struct socket *)F->private_data)->sk : (struct sock *)NULL;
inline string __ip_end[string A, int SIX, int PORT] = strjoin(
	SIX ? strjoin("[", strjoin(A, "]:")) : strjoin(A, ":"), lltostr(PORT));
inline string __ip_address[struct sock *S] = strjoin(
	__ip_end[__sock_laddr[S], __sock_ip6[S], S->__sk_common.skc_num],
	S->__sk_common.skc_dport == 0 ? "" : strjoin("->",
	__ip_end[__sock_raddr[S], __sock_ip6[S], __sock_rport[S]]));
inline char *__unix_path[struct unix_address *U] = &U->name[0].sun_path[0];
inline string __unix_name[struct unix_address *U] =
	U == NULL ? "" : *__unix_path[U] != '\0' ?
	stringof(__unix_path[U]) : strjoin("@",
	substr(stringof(__unix_path[U] + 1), 0, U->len - 3)); /* no NUL ends it */
inline string __unix_address[struct unix_sock *U] =
	U->addr != NULL || U->peer == NULL ?
	strjoin("unix:", __unix_name[U->addr]) :
	strjoin("unix:->", __unix_name[((struct unix_sock *)U->peer)->addr]);
inline string __file_address[struct file *F] = (
	this->__sk = __file_sock[F],
	this->__sk == NULL ? "" :
	this->__sk->__sk_common.skc_family == AF_INET ||
	this->__sk->__sk_common.skc_family == AF_INET6 ?
	__ip_address[this->__sk] :
	this->__sk->__sk_common.skc_family == AF_UNIX ?
	__unix_address[(struct unix_sock *)this->__sk] :
	strjoin("family:", lltostr(this->__sk->__sk_common.skc_family)));

translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" :
	    stringof(F->f_path.dentry->d_name.name);
	fi_dirname = F == NULL ? "<none>" : dirname(d_path(&F->f_path));
	fi_pathname = F == NULL ? "<none>" : d_path(&F->f_path);
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_fs = F == NULL ? "<none>" :
	    stringof(F->f_path.dentry->d_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" : __mount_path[F->f_path.mnt];
	fi_oflags = F == NULL ? 0 : F->f_flags;
	fi_address = F == NULL ? "<none>" : __file_address[F];
};

inline fileinfo_t fds[int FD] = xlate <fileinfo_t> (
	FD >= 0 && curthread->files != NULL &&
	FD < curthread->files->fdt->max_fds ?
	curthread->files->fdt->fd[FD] : (struct file *)NULL);

/*
 * The current directory of the current process, as seen from its root; and
 * that root, "/" unless the process has changed it.
 */
inline string cwd = d_path(&curthread->fs->pwd);
inline string root = d_path(&curthread->fs->root);

/* ---- requests ----------------------------------------------------------- */

/* b_flags */
inline int B_BUSY = 0x1;
inline int B_DONE = 0x2;
inline int B_ERROR = 0x4;
inline int B_PAGEIO = 0x10;
inline int B_PHYS = 0x20;
inline int B_READ = 0x40;
inline int B_WRITE = 0x100;
inline int B_ASYNC = 0x400;

typedef struct bufinfo {
	int b_flags;		/* B_READ ... */
	size_t b_bcount;	/* bytes still to be moved */
	caddr_t b_addr;		/* Linux moves pages: 0 */
	uint64_t b_lblkno;	/* first block, of 512 bytes */
	uint64_t b_blkno;	/* the same */
	size_t b_resid;		/* bytes that were not moved */
	size_t b_bufsize;
	caddr_t b_iodone;	/* function that is called at the end */
	int b_error;		/* EIO ... of errno.d */
	dev_t b_edev;		/* getmajor(), getminor() take it apart */
} bufinfo_t;

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;	/* the same as dev_minor */
	string dev_name;	/* driver; the disk where it has none */
	string dev_statname;	/* "sda1" */
	string dev_pathname;	/* "/dev/sda1" */
} devinfo_t;

/* Writing operations have odd numbers (enum req_op). */
inline int __bio_rw[struct bio *B] =
	(B->bi_opf & 1) != 0 ? B_WRITE : B_READ;
/* blk_status_t of the errors that have an errno of their own */
inline int __blk_errno[uint8_t S] =
	S == 0 ? 0 : S == 1 ? EOPNOTSUPP : S == 2 ? ETIMEDOUT :
	S == 3 ? ENOSPC : S == 9 ? ENOMEM : S == 12 ? EAGAIN : EIO;
inline int __bio_errno[struct bio *B] = __blk_errno[B->bi_status];

translator bufinfo_t < struct bio *B > {
	b_flags = __bio_rw[B] | (B->bi_status != 0 ? B_ERROR : 0) |
	    ((B->bi_opf & 1 << __REQ_SYNC) != 0 ? 0 : B_ASYNC);
	b_bcount = B->bi_iter.bi_size;
	b_addr = (caddr_t)NULL;
	b_lblkno = B->bi_iter.bi_sector;
	b_blkno = B->bi_iter.bi_sector;
	b_resid = B->bi_status == 0 ? 0 : B->bi_iter.bi_size;
	b_bufsize = B->bi_iter.bi_size;
	b_iodone = (caddr_t)B->bi_end_io;
	b_error = __bio_errno[B];
	b_edev = B->bi_bdev == NULL ? 0 : B->bi_bdev->bd_dev;
};

inline struct device *__bdev_parent[struct block_device *D] =
	D->bd_disk->part0->bd_device.parent;

translator devinfo_t < struct block_device *D > {
	dev_major = D == NULL ? 0 : D->bd_dev >> 20;
	dev_minor = D == NULL ? 0 : D->bd_dev & 0xfffff;
	dev_instance = D == NULL ? 0 : D->bd_dev & 0xfffff;
	dev_name = D == NULL ? "<unknown>" :
	    __bdev_parent[D] == NULL || __bdev_parent[D]->driver == NULL ?
	    stringof(D->bd_disk->disk_name) :
	    stringof(__bdev_parent[D]->driver->name);
	dev_statname = D == NULL ? "<unknown>" :
	    stringof(D->bd_device.kobj.name);
	dev_pathname = D == NULL ? "<unknown>" :
	    strjoin("/dev/", stringof(D->bd_device.kobj.name));
};

translator devinfo_t < struct bio *B > {
	dev_major = xlate <devinfo_t *> (B->bi_bdev)->dev_major;
	dev_minor = xlate <devinfo_t *> (B->bi_bdev)->dev_minor;
	dev_instance = xlate <devinfo_t *> (B->bi_bdev)->dev_instance;
	dev_name = xlate <devinfo_t *> (B->bi_bdev)->dev_name;
	dev_statname = xlate <devinfo_t *> (B->bi_bdev)->dev_statname;
	dev_pathname = xlate <devinfo_t *> (B->bi_bdev)->dev_pathname;
};

/*
 * The requests of the io provider: arg0 the first struct bio, and of the whole
 * request arg3 bytes, arg4 the first sector, arg5 the status.
 */
struct __io;

translator bufinfo_t < struct __io *R > {
	b_flags = __bio_rw[(struct bio *)arg0] | (arg5 != 0 ? B_ERROR : 0) |
	    ((((struct bio *)arg0)->bi_opf & 1 << __REQ_SYNC) != 0 ? 0 :
	    B_ASYNC);
	b_bcount = arg3;
	b_addr = (caddr_t)NULL;
	b_lblkno = arg4;
	b_blkno = arg4;
	b_resid = arg5 == 0 ? 0 : arg3;
	b_bufsize = arg3;
	b_iodone = (caddr_t)((struct bio *)arg0)->bi_end_io;
	b_error = __blk_errno[arg5];
	b_edev = xlate <bufinfo_t *> ((struct bio *)arg0)->b_edev;
};

/*
 * The file whose pages a request moves.  Pages that belong to no file (of a
 * file system's own, of a program that reads a device directly) have others'
 * numbers where a file's have its mapping, so nothing is followed that is no
 * address of the kernel, or does not lead back.
 */
/* statfs(2); its pages are memory that is shared, and no file of the device. */
inline uint64_t __TMPFS = 0x01021994;
inline int __kaddr[uint64_t A] = (int64_t)A < 0 && (A & 3) == 0;
inline struct folio *__bio_folio[struct bio *B] = (
	this->__page = B->bi_io_vec == NULL || (B->bi_opf & 0xff) > 1 ?
	(struct page *)NULL : B->bi_io_vec->bv_page,
	!__kaddr[(uint64_t)this->__page] ? (struct folio *)NULL :
	(struct folio *)((this->__page->compound_head & 1) != 0 ?
	this->__page->compound_head - 1 : (uint64_t)this->__page));
inline struct inode *__bio_inode[struct bio *B] = (
	this->__folio = __bio_folio[B],
	this->__map = this->__folio == NULL ? (struct address_space *)NULL :
	this->__folio->mapping,
	this->__inode = !__kaddr[(uint64_t)this->__map] ?
	(struct inode *)NULL : this->__map->host,
	!__kaddr[(uint64_t)this->__inode] ||
	this->__inode->i_mapping != this->__map ||
	this->__inode->i_sb->s_magic == __TMPFS ? (struct inode *)NULL :
	this->__inode);
/*
 * Direct I/O moves the program's own pages.  Its struct bio leads to the call: by
 * fs/iomap (ext4, xfs ...), or by fs/direct-io.c.  Both keep the call until the
 * request is done.
 */
inline struct kiocb *__bio_call[struct bio *B] = (
	this->__end = (uint64_t)B->bi_end_io,
	this->__call = (struct kiocb *)NULL,
	this->__call = __has_member(struct iomap_dio, iocb) ?
	(this->__end == (uint64_t)&`iomap_dio_bio_end_io ?
	((struct iomap_dio *)B->bi_private)->iocb : this->__call) :
	this->__call,
	__has_member(struct dio, is_async) ?
	(this->__end == (uint64_t)&`dio_bio_end_io ||
	this->__end == (uint64_t)&`dio_bio_end_aio ?
	((struct dio *)B->bi_private)->iocb : this->__call) : this->__call);
/* The call's file; else one of the names of the file that has the pages.  A
   device (S_IFBLK) has none here. */
inline struct dentry *__bio_dentry[struct bio *B] = (
	this->__iocb = __bio_call[B],
	this->__inode = this->__iocb != NULL ? (struct inode *)NULL :
	__bio_inode[B],
	this->__iocb != NULL ? this->__iocb->ki_filp->f_path.dentry :
	this->__inode == NULL || this->__inode->i_dentry.first == NULL ||
	(this->__inode->i_mode & 0xf000) == 0x6000 ?
	(struct dentry *)NULL :
	(struct dentry *)((uint64_t)this->__inode->i_dentry.first -
	offsetof(struct dentry, d_u)));

/* A place where a file system is mounted, the oldest that is left. */
inline struct vfsmount *__sb_mount[struct super_block *S] = (
	this->__sb = S,
	__has_member(struct mount, mnt_next_for_sb) ?
	(this->__sb->s_mounts == NULL ? (struct vfsmount *)NULL :
	&((struct mount *)this->__sb->s_mounts)->mnt) :
	(this->__sb->s_mounts.next == &this->__sb->s_mounts ?
	(struct vfsmount *)NULL :
	&((struct mount *)((uint64_t)this->__sb->s_mounts.next -
	offsetof(struct mount, mnt_instance)))->mnt));
/* The file of a request and where it is mounted, made up for d_path. */
inline struct path *__bio_path[struct bio *B] = (
	this->__file = __bio_dentry[B],
	this->__where = (struct path *)NULL,
	this->__at = this->__file == NULL ? (struct vfsmount *)NULL :
	this->__iocb != NULL ? this->__iocb->ki_filp->f_path.mnt :
	__sb_mount[this->__file->d_sb],
	this->__at == NULL ? (struct path *)NULL : (
	this->__where = (struct path *)alloca(sizeof(struct path)),
	this->__where->mnt = this->__at,
	this->__where->dentry = this->__file,
	this->__where));

translator fileinfo_t < struct bio *B > {
	fi_name = (this->__name = __bio_dentry[B], this->__name == NULL ?
	    "<unknown>" : stringof(this->__name->d_name.name));
	fi_dirname = __bio_path[B] == NULL ? "<unknown>" :
	    dirname(d_path(this->__where));
	fi_pathname = __bio_path[B] == NULL ? "<unknown>" :
	    d_path(this->__where);
	/* Where the pages are, or where the call began. */
	fi_offset = __bio_dentry[B] == NULL ? 0 : this->__iocb != NULL ?
	    this->__iocb->ki_pos : this->__folio->index << 12;
	fi_fs = (this->__name = __bio_dentry[B], this->__name == NULL ?
	    "<unknown>" : stringof(this->__name->d_sb->s_type->name));
	fi_mount = __bio_path[B] == NULL ? "<unknown>" :
	    __mount_path[this->__where->mnt];
};
