CPU     ID                    FUNCTION:NAME
 *\d+ +\d+ +:BEGIN   x                                struct pair \{
    int a = 0
    int b = 0
\}
  y                                
 *\d+ +\d+ +:BEGIN int 0x2


dtrace: script 'printrow\.d' matched 2 probes
