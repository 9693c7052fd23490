/*
 * @error: D_PRINTA_AGGKEY 4
 */
BEGIN { @a[1] = count(); @b["x"] = count(); printa(@a, @b); }
