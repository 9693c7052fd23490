
              calls:0x[0-9a-f]+


              calls:0x[0-9a-f]+
                1
