/*
 * date: the civil (proleptic Gregorian) calendar. Months and days count from 1.
 */
#ifndef DATE_H
#define DATE_H

#include <stdint.h>

int date_days_in_month(int year, int month);

/* Days since 1970-01-01. */
int64_t date_to_days(int64_t year, int month, int day);
void date_of_days(int64_t days, int *year, int *month, int *day);

#endif
