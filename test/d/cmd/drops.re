first
end

dtrace: \d+ drops? on CPU \d+
dtrace: to lose less, raise -x bufsize \(now 1k\); or record less, by a predicate
