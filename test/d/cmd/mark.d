/*
 * A mark of UTF-8 before the text, as some editors write it, is no text.
 * @run: -x engine=process -qs %f -c true
 */
BEGIN { printf("begun\n"); exit(0); }
