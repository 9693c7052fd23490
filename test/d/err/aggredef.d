/*
 * @error: D_AGG_REDEF 5
 */
BEGIN { @ = count(); }
BEGIN { @ = sum(1); }
