   ID   PROVIDER            MODULE                          FUNCTION NAME
 +\d+ +sdt             sched                                   sched_process_exec

\tProbe Description Attributes
\t\tIdentifier Names: Private
\t\tData Semantics:   Private
\t\tDependency Class: ISA

\tArgument Attributes
\t\tIdentifier Names: Private
\t\tData Semantics:   Private
\t\tDependency Class: ISA

\tArgument Types
\t\targs\[0\]: struct task_struct \*p
\t\targs\[1\]: pid_t old_pid
\t\targs\[2\]: struct linux_binprm \*bprm

