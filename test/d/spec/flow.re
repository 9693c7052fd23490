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
