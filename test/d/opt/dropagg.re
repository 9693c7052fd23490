end

dtrace: \d+ aggregation drops on CPU 0
