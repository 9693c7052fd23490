/*
 * @error: D_PRAGCTL_INVAL 4
 */
#include <x.h>
