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

/* ---- files -------------------------------------------------------------- */

typedef struct fileinfo {
	string fi_name;		/* last part of the path */
	string fi_dirname;	/* the others */
	string fi_pathname;	/* whole */
	offset_t fi_offset;	/* where the next read or write begins */
	string fi_fs;		/* type of file system */
	string fi_mount;	/* path of the file system's root */
	int fi_oflags;		/* O_RDONLY ... of unistd.d */
} fileinfo_t;

/* Where a file system is mounted: the path of its root, made up for d_path. */
inline string __mount_path[struct vfsmount *M] = (
	this->__mount = (struct path *)alloca(sizeof(struct path)),
	this->__mount->mnt = M,
	this->__mount->dentry = M->mnt_root,
	d_path(this->__mount));

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
inline int __bio_errno[struct bio *B] =
	B->bi_status == 0 ? 0 : B->bi_status == 1 ? EOPNOTSUPP :
	B->bi_status == 2 ? ETIMEDOUT : B->bi_status == 3 ? ENOSPC :
	B->bi_status == 9 ? ENOMEM : B->bi_status == 12 ? EAGAIN : EIO;

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
