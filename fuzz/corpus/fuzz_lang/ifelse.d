BEGIN { if (x) y = 1; else if (z) { a; b } else { ; } if (1) {} }
