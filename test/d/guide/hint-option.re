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
.* --help says what the options mean
