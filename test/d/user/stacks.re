
              calls`depth
              calls`depth\+0x[0-9a-f]+
              calls`depth\+0x[0-9a-f]+
              calls`depth\+0x[0-9a-f]+
calls`depth\+0x[0-9a-f]+
1

              calls`point\+0x[0-9a-f]+

              calls`depth
              calls`depth\+0x[0-9a-f]+
1
calls`depth calls 1

