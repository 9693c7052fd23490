// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * helloworld - /proc/helloworld, which greets who reads it and keeps the last
 * name that was written to it; an example of probes in a module
 * (doc/howto-module.md).
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

#include <dtrace/sdt_module.h>

static char name[32] = "world";

static ssize_t
hello_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	char text[48];
	int len = snprintf(text, sizeof(text), "Hello, %s!\n", name);
	ssize_t n;

	DTRACE_PROBE3(read__start, struct file *, file, size_t, count, loff_t,
		      *pos);
	n = simple_read_from_buffer(buf, count, pos, text, len);
	DTRACE_PROBE2(read__done, struct file *, file, ssize_t, n);
	return n;
}

static ssize_t
hello_write(struct file *file, const char __user *buf, size_t count,
	    loff_t *pos)
{
	size_t n = min(count, sizeof(name) - 1);
	char text[sizeof(name)] = "";

	if (copy_from_user(text, buf, n) != 0) {
		DTRACE_PROBE1(refused, int, -EFAULT);
		return -EFAULT;
	}
	strreplace(text, '\n', '\0');
	if (text[0] == '\0') {
		DTRACE_PROBE1(refused, int, -EINVAL);
		return -EINVAL;
	}
	memcpy(name, text, sizeof(name));
	DTRACE_PROBE2(renamed, char *, name, size_t, count);
	return count;
}

static const struct proc_ops hello_ops = {
	.proc_read = hello_read,
	.proc_write = hello_write,
};

static int __init
hello_init(void)
{
	return proc_create("helloworld", 0666, NULL, &hello_ops) != NULL
		       ? 0
		       : -ENOMEM;
}

static void __exit
hello_exit(void)
{
	remove_proc_entry("helloworld", NULL);
}

module_init(hello_init);
module_exit(hello_exit);
MODULE_DESCRIPTION("Hello world, with probes");
MODULE_LICENSE("Dual BSD/GPL");
