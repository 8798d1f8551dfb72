#include "process/clock.h"
#include "tap.h"

static void
roundtrip(const char *text, int64_t want, const char *back)
{
	char out[CLOCK_RFC3339_MAX];
	int64_t us = -1;

	ok(clock_parse_us(span_str(text), &us) == 0 && us == want, text);
	clock_format_us(us, out);
	is(out, back, "and back");
}

static void
refused(const char *text)
{
	int64_t us;

	ok(clock_parse_us(span_str(text), &us) == -1, text);
}

TEST(clock)
{
	char out[CLOCK_RFC3339_MAX];

	roundtrip("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00.000000Z");
	roundtrip("2026-01-02T03:04:05.000006Z", 1767323045000006,
	    "2026-01-02T03:04:05.000006Z");
	roundtrip("2026-01-02T03:04:05.1234567899+01:30", 1767317645123456,
	    "2026-01-02T01:34:05.123456Z");
	roundtrip("2024-02-29T23:59:59Z", 1709251199000000,
	    "2024-02-29T23:59:59.000000Z");
	roundtrip(
	    "1969-12-31T23:59:59.5Z", -500000, "1969-12-31T23:59:59.500000Z");
	refused("2023-02-29T00:00:00Z");
	refused("2026-13-01T00:00:00Z");
	refused("2026-01-01T24:00:00Z");
	refused("2026-01-01T00:00:60Z");
	refused("2026-01-01T00:00:00");
	refused("2026-01-01T00:00:00.Z");
	refused("2026-01-01 00:00:00Z");
	refused("2026-01-01T00:00:00Zx");
	refused("");
	clock_format_s(1709251199, out);
	is(out, "2024-02-29T23:59:59Z", "seconds");
	clock_format_s(-62167219200, out);
	is(out, "0000-01-01T00:00:00Z", "the first year of four digits");
	clock_format_s(-62167219201, out);
	is(out, "-001-12-31T23:59:59Z", "before it");
	clock_format_s(253402300799, out);
	is(out, "9999-12-31T23:59:59Z", "the last year");
	clock_format_s(253402300800, out);
	is(out, "10000-01-01T00:00:00Z", "behind it");
}
