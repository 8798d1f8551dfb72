/*
 * scan: finds ends in JSON text, 64 bytes at a time.
 *
 * Each block becomes bitmaps of its quotes, backslashes and brackets (SSE2;
 * plain C elsewhere). A prefix xor over the unescaped quotes marks what is
 * inside strings; counting the brackets outside gives the depth. Text is
 * trusted to be JSON: on other text the answer is wrong or NULL, but no byte
 * outside [p, end) is read.
 */
#ifndef SCAN_H
#define SCAN_H

#include <stddef.h>

/* p is behind an opening quote; returns its closing quote, or NULL. */
const char *json_scan_string(const char *p, const char *end);
/* p is behind an opening bracket; returns behind the matching closing one
 * (whatever its shape), or NULL. */
const char *json_scan_container(const char *p, const char *end);

#endif
