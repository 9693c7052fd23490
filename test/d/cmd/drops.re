first
end

dtrace: \d+ drops? on CPU \d+
