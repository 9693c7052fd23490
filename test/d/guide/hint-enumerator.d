/*
 * A constant, misspelt, beside a value of its type.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
enum state { IDLE, WAITING, RUNNING } now;

BEGIN
/RUNING == now/
{
}
