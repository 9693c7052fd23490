/*
 * A list has no picture.
 * @run: -O flame=/nowhere/x.svg -ln BEGIN
 * @stderr
 * @status: 1
 */
