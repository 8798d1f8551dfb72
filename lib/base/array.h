/* array: the number of elements of an array whose size the compiler knows. */
#ifndef ARRAY_H
#define ARRAY_H

#define COUNT(a) (sizeof(a) / sizeof *(a))

#endif
