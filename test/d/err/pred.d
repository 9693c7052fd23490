/*
 * @error: D_PRED_SCALAR 4
 */
BEGIN /"string"/ { x = 1; }
