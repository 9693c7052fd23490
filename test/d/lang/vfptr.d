/*
 * @error: D_OP_VFPTR 5
 */
typedef int (*fn_t)(int);
BEGIN { p = (fn_t)0 + 1; }
