
              calls`work
              calls`main\+0x[0-9a-f]+

              calls`work


              calls`work
              calls`main\+0x[0-9a-f]+
                1

              calls`work
                1
