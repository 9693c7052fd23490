// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Functions that V8 interprets, then compiles, and its builtins between them.
function* gen(n) { if (n) { yield n; yield* gen(n - 1); } }
function f4(n) { return n < 2 ? n : f4(n - 1) + f4(n - 2); }
function f3(n, ...more) { return f4(n) + more.length; }
function f2(n) { return f3.apply(null, [n, 1, 2]) + Math.max(...gen(4)); }
function f1(n) {
  const a = [3, 1, 2].sort((x, y) => f2(x) - f2(y));
  return String(n + a[0]).replace(/(\d)/g, (m) => f2(+m)) + { n }.n;
}
for (let i = 0; ; i++) {
  f1(i % 10);
  try { null.x; } catch (e) { f2(5); }
}
