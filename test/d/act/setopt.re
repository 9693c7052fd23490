CPU     ID                    FUNCTION:NAME
 *\d+ +\d+ +:BEGIN         12
 *\d+ +\d+ +:BEGIN         3
 *\d+ +\d+ +:BEGIN 

             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef
         0: 61 62 63 00 00 00 00 00 00 00 00 00 00 00 00 00  abc\.\.\.\.\.\.\.\.\.\.\.\.\.
abc
b
a
a
b
b
a

dtrace: script 'setopt\.d' matched 6 probes
