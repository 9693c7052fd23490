CPU FUNCTION                                 
 *\d+  -> depth                                         3
 *\d+    -> depth                                       2
 *\d+      -> depth                                     1
 *\d+        -> depth                                   0
 *\d+        <- depth                                   0
 *\d+      <- depth                                     1
 *\d+    <- depth                                       2
 *\d+  <- depth                                         3
 *\d+  -> name                                    alpha                            
 *\d+  <- name                                  
 *\d+  -> name                                    beta                             
 *\d+  <- name                                  
 *\d+  -> name                                    gamma                            
 *\d+  <- name                                  
 *\d+  -> name                                    beta                             
 *\d+  <- name                                  

dtrace: script 'flow\.d' matched 4 probes
dtrace: pid N has exited
