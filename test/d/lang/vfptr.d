/*
 * @error: D_OP_VFPTR 6
 */
typedef int (*fn_t)(int);
fn_t f;
BEGIN { f += 1; }
