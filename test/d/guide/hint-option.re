dtrace: illegal option \-\- 7 \(arguments that begin with \- go behind \-\-\)
.*
.*
.*
.*
.*
.*
.*
.*
.*
.*
.*
.*
.* --help tells what the options mean
