# 1 "x.d"
#line 20 "y.d"
#ident "z"
#pragma D option strsize=1k
BEGIN { $1; $$1; $2; $3; $pid; $$9 }
