BEGIN { i = (1 + 2) * 3 % 4 << 2 | 0xff & ~7 ^ 'ab'; j = i ? -i : +i, i++; --j;
 p = (char *)arg0; k = *(int *)arg1; s = stringof(arg0); a[1, "x"] += 2;
 b = i < j && j >= 0 || !i ^^ i == j; x = &`sym; y = (uint64_t)-1; }
