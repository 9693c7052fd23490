/*
 * An argument that is empty describes no probe, and not every one.
 *
 * @run: -qs %f ''
 * @error: D_PDESC_INVAL 7
 */
$1 {}
