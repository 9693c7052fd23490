/*
 * @error: D_TRACE_AGG 4
 */
BEGIN { @a = count(); trace(@a); }
