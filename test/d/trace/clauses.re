CPU FUNCTION                                 
  *\d+  \-> depth                                   first                            
  *\d+   \| depth:entry                             second                           
  *\d+    \-> depth                                 first                            
  *\d+     \| depth:entry                           second                           
  *\d+      \-> depth                               first                            
  *\d+       \| depth:entry                         second                           
  *\d+        \-> depth                             first                            
  *\d+         \| depth:entry                       second                           
  *\d+         \| depth:return                      first                            
  *\d+        <\- depth                             second                           
  *\d+       \| depth:return                        first                            
  *\d+      <\- depth                               second                           
  *\d+     \| depth:return                          first                            
  *\d+    <\- depth                                 second                           
  *\d+   \| depth:return                            first                            
  *\d+  <\- depth                                   second                           

