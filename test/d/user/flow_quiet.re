CPU FUNCTION                                 
 *\d+  -> depth                                 3
 *\d+    -> depth                               2
 *\d+      -> depth                             1
 *\d+        -> depth                           0
 *\d+        <- depth                           3
 *\d+        -> name                            1alpha
 *\d+        <- name                            
 *\d+        -> name                            1beta
 *\d+        <- name                            
 *\d+        -> name                            1gamma
 *\d+        <- name                            
 *\d+        -> name                            1beta
 *\d+        <- name                            

