/*
 * Probes as one writes them who comes from elsewhere.
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
i:ms:100 { }
p:hz:99 { }
u:libc:malloc { }
syscall::read:exit { }
syscall::read:enter { }
profile:::99hz { }
pid1::ns::D::f:entry { }
