end

dtrace: \d+ aggregation drops on CPU 0
dtrace: to lose less, raise -x aggsize \(now 1k\); or use fewer keys
