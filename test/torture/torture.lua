-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- Traces of LuaJIT that are made and left, errors, coroutines, calls back from C.
local ffi = require("ffi")
ffi.cdef [[ void qsort(void *, size_t, size_t,
                       int (*)(const int *, const int *)); ]]

local function sorted(n)
    local a = ffi.new("int[?]", n)
    for i = 0, n - 1 do a[i] = (i * 7919) % 1013 end
    local cb = ffi.cast("int (*)(const int *, const int *)",
                        function(x, y) return x[0] - y[0] end)
    ffi.C.qsort(a, n, 4, ffi.cast("void *", cb))
    cb:free()
    return a[n / 2]
end

local function caught(i)
    local ok, e = pcall(function() if i % 3 == 0 then error({ at = i }) end end)
    return ok and 1 or e.at
end

local sum = 0
for round = 1, tonumber(arg[1]) do
    local co = coroutine.wrap(function()
        for i = 1, 500 do coroutine.yield(i * round) end
        return 0
    end)
    for i = 1, 500 do
        local t = { i, tostring(i), round }
        sum = (sum * 31 + co() + caught(i) + #t[2]) % 16777213
    end
    sum = sum + sorted(64)
    if round % 50 == 0 then jit.flush() end
end
print(sum)
os.exit(4)
