/*
 * Functions of the target, under names that it does not have.
 * @target: parts
 * @run: -x errfmt=full -s %f -c %t
 * @status: 1
 * @stderr
 */
pid$target::malloc { }
pid$target:T:work { }
pid$target:a.out:fact:entry { }
pid$target:a.out:many:entry { }
pid$target:a.out:add:entry { }
pid$target:a.out:pay:entry { }
pid$target:a.out:shop*pay:entry { }
