vmlinux do_exit entry 3 1

              vmlinux`do_exit(\+0x[0-9a-f]+)?

