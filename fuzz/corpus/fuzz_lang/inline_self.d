inline int v =  v = 3;
BEGIN { trace(v); }
