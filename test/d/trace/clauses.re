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

dtrace: script 'clauses\.d' matched 4 probes
dtrace: pid N has exited
