/*
 * @error: D_PDESC_ZERO 4
 */
nosuch:::probe { x = 1; }
