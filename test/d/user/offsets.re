0 0
points \d+

