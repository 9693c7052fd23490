/*
 * @error: D_ARR_LOCAL 4
 */
BEGIN { this->a[1] = 2; }
