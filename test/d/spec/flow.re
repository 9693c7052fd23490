CPU FUNCTION *
 +\d+  -> depth *
 +\d+    -> depth *
 +\d+      -> depth *
 +\d+        -> depth *
 +\d+        <- depth *
 +\d+      <- depth *
 +\d+    <- depth *
 +\d+  <- depth *
 *
dtrace: script 'flow\.d' matched 4 probes
dtrace: pid N has exited
