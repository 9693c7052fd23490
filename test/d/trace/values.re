CPU     ID                    FUNCTION:NAME
 *\d+ +\d+ +:BEGIN   \-1    \-2       \-3               \-4
 *\d+ +\d+ +:BEGIN  255 65535 4294967295 18446744073709551615
 *\d+ +\d+ +:BEGIN   str                                                                   a string that is longer than thirty\-three columns  tab\	end                          
 *\d+ +\d+ +:BEGIN   h                                
             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef
         0: 68 00 00 00 00 00 00 00 05 00 00 00              h\.\.\.\.\.\.\.\.\.\.\.
                                   
 *\d+ +\d+ +:BEGIN                16       99        1        1                0
 *\d+ +\d+ +:BEGIN   BEGIN                              0x20                                                0x10                                                0x30                                              
 *\d+ +\d+ +:BEGIN 
             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef
         0: 61 62 63                                         abc

             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef
         0: 61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70  abcdefghijklmnop
        10: 71 72 73 74                                      qrst

             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef
         0: 61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70  abcdefghijklmnop
        10: 71 72 73 74 75 76 77 78 79 7a 01 02 00           qrstuvwxyz\.\.\.

             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef

             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef
         0: 61 62 63 64                                      abcd

 *\d+ +\d+ +:BEGIN 

dtrace: script 'values\.d' matched 8 probes
