   ID   PROVIDER            MODULE                          FUNCTION NAME
 +\d+ +syscall           vmlinux                      rt_sigaction entry

\tProbe Description Attributes
\t\tIdentifier Names: Evolving
\t\tData Semantics:   Evolving
\t\tDependency Class: Common

\tArgument Attributes
\t\tIdentifier Names: Private
\t\tData Semantics:   Private
\t\tDependency Class: ISA

\tArgument Types
\t\targs\[0\]: int sig
\t\targs\[1\]: const struct sigaction \*act
\t\targs\[2\]: struct sigaction \*oact
\t\targs\[3\]: size_t sigsetsize

 +\d+ +syscall           vmlinux                             clone return

\tProbe Description Attributes
\t\tIdentifier Names: Evolving
\t\tData Semantics:   Evolving
\t\tDependency Class: Common

\tArgument Attributes
\t\tIdentifier Names: Private
\t\tData Semantics:   Private
\t\tDependency Class: ISA

\tArgument Types
\t\targs\[0\]: pid_t
\t\targs\[1\]: pid_t

