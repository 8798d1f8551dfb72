# Times that come again, as in a CronJob. Times are Unix seconds.
#
# A schedule is that of a CronJob ("*/5 8-18 * * mon-fri", "@hourly"; doc/
# library.md); what is wrong with one is an error for users. A time zone is a
# name such as "Europe/Berlin", or null for UTC, and needs the package tzdata.
# (In C: lib/value/crontab.h.)

# What is wrong in a schedule or a zone is an error for users: without the place
# in the program. What is wrong in a call is not.
def _for_users(f):
  try f
  catch if startswith("cron_") then _call("wrong"; .) else error(.) end;

# The first time after $time; null: none in five years.
def cron_next($schedule; $time):
  _for_users(_call("cron_next"; [$schedule, $time]));
def cron_next($schedule; $time; $zone):
  _for_users(_call("zoned_cron_next"; [$schedule, $time, $zone]));

# The last time that is not after $time; null: none in five years. With $since:
# only times after that (what was missed since the last run). "@every 1h" counts
# from $since, and needs it.
def cron_last($schedule; $time):
  _for_users(_call("cron_last"; [$schedule, $time]));
def cron_last($schedule; $time; $zone):
  _for_users(_call("zoned_cron_last"; [$schedule, $time, $zone]));
def cron_last($schedule; $time; $zone; $since):
  _for_users(_call("zoned_cron_last"; [$schedule, $time, $zone, $since]));
