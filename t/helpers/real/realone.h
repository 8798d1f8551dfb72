/*
 * realone: the program that a helper stands for, which does what the helper does
 * not have.
 */
#ifndef REALONE_H
#define REALONE_H

/* Becomes the next program of that name in PATH behind the folder of the helper:
 * one before it may be a test's, which called the helper. */
_Noreturn void realone_exec(const char *name, char **argv);

#endif
