/*
 * @run: -xerrtags -xamin=Stable/Stable/Common -qs %f
 * @error: D_ATTR_MIN
 */
BEGIN { trace((uintptr_t)curthread); exit(0); }
