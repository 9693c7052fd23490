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
99hz { }
tck-1s { }
profile:::tick1s { }
pid1::ns::D::f:entry { }
