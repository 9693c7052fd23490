/*
 * A file's name that begins without a quote is none.
 * @error: D_PRAGCTL_INVAL 5
 */
# 5 x"
BEGIN { exit(0); }
