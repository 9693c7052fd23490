CPU FUNCTION                                 
 +\d+ \| :BEGIN                                    begin                            
 +\d+  => openat                                  open                             
 +\d+  <= openat                                
 +\d+  => read                                  
 +\d+   \| read:entry                                    1
 +\d+  <= read                                  
 +\d+  => close                                   close                            

