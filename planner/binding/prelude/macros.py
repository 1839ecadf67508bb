"""SQL macros of the prelude: PostgreSQL's behaviour where a short expression of DuckDB's gives it."""

from __future__ import annotations

from typing import Final

from planner.types.datetimes import DATE_END, DATE_MIN, TIMESTAMP_MIN

_SERIES_MAX: Final = 1 << 25
"""Elements of a list of integers or moments: nearly three gigabytes, which DuckDB does not count."""


_DUCK_DATES: Final = 2_147_483_646
"""The days before and after 1970 that DuckDB's dates count."""
_DUCK_MOMENTS: Final = 9_223_372_022_400_000_000
"""The microseconds before 1970 that its timestamps count; after it they end before PostgreSQL's."""


def _integer(size: str, duck: str, word: str, low: int, high: int) -> tuple[str, ...]:
    bits = {"int2": 16, "int4": 32, "int8": 64}[size]
    bad = f"error('[22P02] invalid input syntax for type {word}: \"' || s || '\"')"
    far = f"error('[22003] value \"' || s || '\" is out of range for type {word}')"
    text = r"regexp_full_match(s, '[ \t\n\r\v\f]*[+-]?[0-9]+[ \t\n\r\v\f]*')"
    return (
        f"CREATE OR REPLACE MACRO tw_in_{size}(s) AS CASE WHEN s IS NULL THEN NULL WHEN NOT {text} THEN {bad} "
        rf"ELSE coalesce(TRY_CAST(regexp_replace(s, '[ \t\n\r\v\f]', '', 'g') AS {duck}), {far}) END",
        f"CREATE OR REPLACE MACRO tw_shl_{size}(a, b) AS CAST(CASE WHEN (CAST(a AS HUGEINT) & {(1 << bits) - 1}) * "
        f"CAST(power(2, b & {max(bits, 32) - 1}) AS HUGEINT) % {1 << bits} >= {1 << (bits - 1)} "
        f"THEN (CAST(a AS HUGEINT) & {(1 << bits) - 1}) * CAST(power(2, b & {max(bits, 32) - 1}) AS HUGEINT) % {1 << bits} - {1 << bits} "
        f"ELSE (CAST(a AS HUGEINT) & {(1 << bits) - 1}) * CAST(power(2, b & {max(bits, 32) - 1}) AS HUGEINT) % {1 << bits} END AS {duck})"
        if bits < 64
        else "CREATE OR REPLACE MACRO tw_shl_int8(a, b) AS tw_shl(a, b)",
        f"CREATE OR REPLACE MACRO tw_shr_{size}(a, b) AS CAST(floor(CAST(a AS HUGEINT) / CAST(power(2, b & {max(bits, 32) - 1}) AS HUGEINT)) AS {duck})"
        if bits < 64
        else "CREATE OR REPLACE MACRO tw_shr_int8(a, b) AS tw_shr(a, b)",
        f"CREATE OR REPLACE MACRO tw_float_int{bits // 8}(x) AS CASE WHEN x IS NULL THEN NULL WHEN isnan(x) OR round_even(x, 0) < {low}::DOUBLE "
        f"OR round_even(x, 0) {'>=' if bits == 64 else '>'} {high}::DOUBLE THEN error('[22003] {word} out of range') "
        f"ELSE CAST(round_even(x, 0) AS {duck}) END",
    )


def _float(name: str, op: str) -> str:
    value = f"(a {op} b)"
    zero = "WHEN b = 0 AND NOT isnan(a) THEN error('[22012] division by zero') " if op == "/" else ""
    under = (
        f"WHEN {value} = 0 AND a <> 0{' AND b <> 0' if op == '*' else ''} AND NOT isinf(b) THEN error('[22003] value out of range: underflow') "
        if op in "*/"
        else ""
    )
    return (
        f"CREATE OR REPLACE MACRO tw_float_{name}(a, b) AS CASE {zero}WHEN isinf({value}) AND NOT isinf(a) AND NOT isinf(b) "
        f"THEN error('[22003] value out of range: overflow') {under}ELSE {value} END"
    )


def _domain(name: str, test: str, value: str, code: str, message: str) -> str:
    return f"CREATE OR REPLACE MACRO tw_{name}(x) AS CASE WHEN {test} THEN error('[{code}] {message}') ELSE {value} END"


INTERVALS: tuple[str, ...] = (
    # DuckDB's days and moments go on for thousands of years before PostgreSQL's first and after its last. What is computed is moved
    # by the difference and back, which DuckDB refuses of what is beyond; so it is named once, however long it is.
    f"CREATE OR REPLACE MACRO tw_moment(x) AS ((x - to_microseconds({_DUCK_MOMENTS + TIMESTAMP_MIN})) + to_microseconds({_DUCK_MOMENTS + TIMESTAMP_MIN}))",
    f"CREATE OR REPLACE MACRO tw_day(x) AS (((x - {_DUCK_DATES + DATE_MIN}) + {_DUCK_DATES + DATE_MIN}) + {_DUCK_DATES - DATE_END + 1} - {_DUCK_DATES - DATE_END + 1})",
    "CREATE OR REPLACE MACRO tw_months(i) AS (extract(year FROM i) * 12 + extract(month FROM i))",
    "CREATE OR REPLACE MACRO tw_days(i) AS extract(day FROM i)",
    "CREATE OR REPLACE MACRO tw_micros(i) AS (extract(hour FROM i) * 3600000000 + extract(minute FROM i) * 60000000 + extract(microsecond FROM i))",
    # Through lambdas, so that each is named once: what is nested would be written out many times.
    "CREATE OR REPLACE MACRO tw_parts(i) AS list_transform([i], lambda x: CASE WHEN x IS NOT NULL THEN {'months': CAST(tw_months(x) AS INTEGER), "
    "'days': CAST(tw_days(x) AS INTEGER), 'micros': CAST(tw_micros(x) AS BIGINT)} END)[1]",
    # Months and days are those of the zone's calendar, one after the other; of times that come twice it is the later one. DuckDB's
    # own takes the time first where any part is negative, and the earlier one.
    "CREATE OR REPLACE MACRO tw_instant_plus(t, i, zone) AS CASE WHEN (tw_months(i) = 0 AND tw_days(i) = 0) OR NOT isfinite(t) THEN tw_moment(t + i) "
    "ELSE tw_moment(timezone(zone, timezone(zone, t) + to_months(CAST(tw_months(i) AS INTEGER)) + to_days(CAST(tw_days(i) AS INTEGER))) "
    "+ to_microseconds(CAST(tw_micros(i) AS BIGINT))) END",
    "CREATE OR REPLACE MACRO tw_instant_cut(unit, t, zone) AS CASE WHEN isfinite(t) "
    "THEN tw_moment(t - (timezone(zone, t) - date_trunc(unit, timezone(zone, t)))) ELSE t END",
    "CREATE OR REPLACE MACRO tw_instant_plus_once(t, i, zone) AS list_transform([{'t': t, 'i': i}], lambda x: tw_instant_plus(x.t, x.i, zone))[1]",
    "CREATE OR REPLACE MACRO tw_of_parts(p) AS list_transform([p], lambda x: to_months(x.months) + to_days(x.days) + to_microseconds(x.micros))[1]",
)
"""What takes intervals apart: macros of functions of intervals are made of these, and others of those."""

MACROS: tuple[str, ...] = (
    *_integer("int2", "SMALLINT", "smallint", -32768, 32767),
    *_integer("int4", "INTEGER", "integer", -2147483648, 2147483647),
    *_integer("int8", "BIGINT", "bigint", -9223372036854775808, 9223372036854775808),
    _float("add", "+"),
    _float("sub", "-"),
    _float("mul", "*"),
    _float("div", "/"),
    "CREATE OR REPLACE MACRO tw_interval_between(a, b, share) AS a + tw_interval_mul(b - a, share)",
    "CREATE OR REPLACE MACRO tw_number_within(l, p) AS CASE WHEN p < 0 OR p > 1 "
    "THEN error('[22003] percentile value ' || printf('%g', p) || ' is not between 0 and 1') "
    "WHEN p * (len(l) - 1) = floor(p * (len(l) - 1)) THEN l[CAST(p * (len(l) - 1) AS BIGINT) + 1] "
    "ELSE l[CAST(floor(p * (len(l) - 1)) AS BIGINT) + 1] + (p * (len(l) - 1) - floor(p * (len(l) - 1))) * "
    "(l[CAST(ceil(p * (len(l) - 1)) AS BIGINT) + 1] - l[CAST(floor(p * (len(l) - 1)) AS BIGINT) + 1]) END",
    "CREATE OR REPLACE MACRO tw_value_within(l, p) AS CASE WHEN p < 0 OR p > 1 "
    "THEN error('[22003] percentile value ' || printf('%g', p) || ' is not between 0 and 1') "
    "WHEN p IS NOT NULL THEN l[greatest(1, CAST(ceil(p * len(l)) AS BIGINT))] END",
    "CREATE OR REPLACE MACRO tw_interval_within(l, p) AS CASE WHEN p < 0 OR p > 1 "
    "THEN error('[22003] percentile value ' || printf('%g', p) || ' is not between 0 and 1') WHEN len(l) > 0 THEN "
    "tw_interval_between(l[CAST(floor(p * (len(l) - 1)) AS BIGINT) + 1], l[CAST(ceil(p * (len(l) - 1)) AS BIGINT) + 1], "
    "p * (len(l) - 1) - floor(p * (len(l) - 1))) END",
    r"CREATE OR REPLACE MACRO tw_record_absent(x) AS x IS NULL OR regexp_full_match(x, '\(,*\)')",
    "CREATE OR REPLACE MACRO tw_record_present(x) AS x IS NOT NULL AND NOT regexp_matches("
    r"""regexp_replace(x, '"([^"\\]|""|\\.)*"', 'q', 'g'), '[(,][,)]')""",
    _domain("sqrt", "x < 0", "sqrt(x)", "2201F", "cannot take square root of a negative number"),
    "CREATE OR REPLACE MACRO tw_exp(x) AS CASE WHEN isinf(exp(x)) AND NOT isinf(x) THEN error('[22003] value out of range: overflow') "
    "WHEN exp(x) = 0 AND NOT isinf(x) THEN error('[22003] value out of range: underflow') ELSE exp(x) END",
    "CREATE OR REPLACE MACRO tw_ln(x) AS CASE WHEN x = 0 THEN error('[2201E] cannot take logarithm of zero') "
    "WHEN x < 0 THEN error('[2201E] cannot take logarithm of a negative number') ELSE ln(x) END",
    "CREATE OR REPLACE MACRO tw_log10(x) AS CASE WHEN x = 0 THEN error('[2201E] cannot take logarithm of zero') "
    "WHEN x < 0 THEN error('[2201E] cannot take logarithm of a negative number') ELSE log10(x) END",
    _domain("asin", "x < -1 OR (x > 1 AND NOT isnan(x))", "asin(x)", "22003", "input is out of range"),
    _domain("acosh", "x < 1", "acosh(x)", "22003", "input is out of range"),
    _domain("atanh", "x < -1 OR x > 1 AND NOT isnan(x)", "atanh(x)", "22003", "input is out of range"),
    _domain("acos", "x < -1 OR (x > 1 AND NOT isnan(x))", "acos(x)", "22003", "input is out of range"),
    # What is left of a number in so many bits, where PostgreSQL does not look whether it has room.
    "CREATE OR REPLACE MACRO tw_within(x, n) AS ((CAST(x AS HUGEINT) + (CAST(1 AS HUGEINT) << (n - 1))) & ((CAST(1 AS HUGEINT) << n) - 1)) "
    "- (CAST(1 AS HUGEINT) << (n - 1))",
    "CREATE OR REPLACE MACRO tw_seconds_in_micros(s) AS CASE WHEN NOT isfinite(s) THEN error('[22008] interval out of range') "
    "WHEN s IS NOT NULL THEN coalesce(TRY_CAST(round(s * 1000000) AS BIGINT), -9223372036854775808) END",
    "CREATE OR REPLACE MACRO tw_float4(x) AS CASE WHEN isinf(TRY_CAST(x AS FLOAT)) AND NOT isinf(x) OR (x IS NOT NULL AND TRY_CAST(x AS FLOAT) IS NULL) "
    "THEN error('[22003] value out of range: overflow') WHEN TRY_CAST(x AS FLOAT) = 0 AND x <> 0 "
    "THEN error('[22003] value out of range: underflow') ELSE CAST(x AS FLOAT) END",
    # --- numerics ---
    "CREATE OR REPLACE MACRO tw_num_check(x, rounded, beyond, p, s) AS CASE WHEN abs(rounded) >= beyond OR (rounded IS NULL AND x IS NOT NULL) THEN "
    "error('[22003] numeric field overflow [DETAIL] A field with precision ' || p || ', scale ' || s || ' must round to an absolute value less than ' || "
    "CASE WHEN p = s THEN '1' ELSE '10^' || (p - s) END || '.') ELSE rounded END",
    # One text for each number: no zeros at the end of its digits behind the point.
    r"CREATE OR REPLACE MACRO tw_num_same(x) AS regexp_replace(x, '(\.[0-9]*[1-9])0+$|\.0+$', '\1')",
    "CREATE OR REPLACE MACRO tw_turning(x) AS CASE WHEN isinf(x) THEN error('[22003] input is out of range') ELSE x END",
    # --- text ---
    "CREATE OR REPLACE MACRO tw_varchar(s, n) AS CASE WHEN length(s) <= n THEN s WHEN rtrim(substring(s, n + 1), ' ') = '' THEN left(s, n) "
    "WHEN s IS NULL THEN NULL ELSE error('[22001] value too long for type character varying(' || n || ')') END",
    "CREATE OR REPLACE MACRO tw_bpchar(s, n) AS CASE WHEN length(s) <= n THEN s || repeat(' ', n - length(s)) "
    "WHEN rtrim(substring(s, n + 1), ' ') = '' THEN left(s, n) WHEN s IS NULL THEN NULL "
    "ELSE error('[22001] value too long for type character(' || n || ')') END",
    "CREATE OR REPLACE MACRO tw_bpchar_cut(s, n) AS CASE WHEN length(s) <= n THEN s || repeat(' ', n - length(s)) ELSE left(s, n) END",
    "CREATE OR REPLACE MACRO tw_substr(s, a) AS CASE WHEN a IS NOT NULL THEN substring(s, greatest(a, 1)) END",
    "CREATE OR REPLACE MACRO tw_substr_for(s, a, n) AS CASE WHEN s IS NULL OR a IS NULL OR n IS NULL THEN NULL "
    "WHEN n < 0 THEN error('[22011] negative substring length not allowed') ELSE substring(s, greatest(a, 1), greatest(CAST(a AS BIGINT) + n - greatest(a, 1), 0)) END",
    "CREATE OR REPLACE MACRO tw_split_part(s, d, n) AS CASE WHEN s IS NULL OR d IS NULL OR n IS NULL THEN NULL "
    "WHEN n = 0 THEN error('[22023] field position must not be zero') "
    "WHEN d = '' THEN CASE WHEN n IN (1, -1) THEN s ELSE '' END ELSE split_part(s, d, n) END",
    # DuckDB makes a capital of one letter that has none in PostgreSQL's C library.
    "CREATE OR REPLACE MACRO tw_upper(s) AS CASE WHEN contains(s, 'ß') "
    "THEN array_to_string(list_transform(string_split(s, 'ß'), lambda tw_x: upper(tw_x)), 'ß') ELSE upper(s) END",
    # DuckDB turns round what is seen as one character, PostgreSQL characters: an accent of its own is one.
    "CREATE OR REPLACE MACRO tw_reverse(s) AS CASE WHEN strlen(s) = length(s) THEN reverse(s) ELSE tw_reverse_characters(s) END",
    # What is too long must not be computed at all: DuckDB folds constants before it looks at conditions.
    "CREATE OR REPLACE MACRO tw_repeat(s, n) AS CASE WHEN CAST(strlen(s) AS HUGEINT) * n >= 1073741820 "
    "THEN error('[54000] requested length too large') WHEN n IS NOT NULL THEN repeat(s, "
    "CASE WHEN CAST(strlen(s) AS HUGEINT) * n BETWEEN 1 AND 1073741819 THEN n ELSE 0 END) END",
    "CREATE OR REPLACE MACRO tw_chr(n) AS CASE WHEN n = 0 THEN error('[54000] null character not permitted') "
    "WHEN n < 0 THEN error('[22023] character number must be positive') "
    "WHEN n > 1114111 THEN error('[54000] requested character too large for encoding: ' || n) "
    "WHEN n BETWEEN 55296 AND 57343 THEN error('[54000] requested character not valid for encoding: ' || n) "
    "ELSE chr(n) END",
    # --- booleans over lists ---
    # `v = ANY (l)` where DuckDB's own equality is meant: a list that is the same for all rows is looked up in, not walked through.
    "CREATE OR REPLACE MACRO tw_among(l, v) AS CASE WHEN list_contains(l, v) THEN true WHEN l IS NULL THEN NULL WHEN len(l) = 0 "
    "THEN false WHEN v IS NULL OR list_count(l) < len(l) THEN NULL ELSE false END",
    "CREATE OR REPLACE MACRO tw_any(l) AS CASE WHEN l IS NULL THEN NULL WHEN coalesce(list_bool_or(l), false) THEN true "
    "WHEN list_count(l) < len(l) THEN NULL ELSE false END",
    "CREATE OR REPLACE MACRO tw_all(l) AS CASE WHEN l IS NULL THEN NULL WHEN NOT coalesce(list_bool_and(l), true) THEN false "
    "WHEN list_count(l) < len(l) THEN NULL ELSE true END",
    # A macro's argument is written out wherever the macro names it, subqueries too: through a lambda it is there once.
    "CREATE OR REPLACE MACRO tw_list(s) AS list_transform([s], lambda tw_s: CASE WHEN tw_s = '{}' THEN CAST([] AS VARCHAR[]) "
    "WHEN NOT starts_with(tw_s, '{{') AND NOT starts_with(tw_s, '[') AND NOT contains(tw_s, chr(34)) "
    "AND NOT contains(tw_s, chr(92)) THEN list_transform(string_split(substring(tw_s, 2, length(tw_s) - 2), ','), "
    "lambda tw_i: CASE WHEN tw_i <> 'NULL' THEN tw_i END) ELSE tw_array_items(tw_s) END)[1]",
    "CREATE OR REPLACE MACRO tw_padded(l) AS "
    "list_transform([l], lambda tw_l: CASE WHEN len(tw_l) > 0 THEN tw_l ELSE [NULL] END)[1]",
    "CREATE OR REPLACE MACRO tw_bare_array(l) AS "
    "'{' || array_to_string(list_transform(l, lambda tw_i: coalesce(tw_i, 'NULL')), ',') || '}'",
    "CREATE OR REPLACE MACRO tw_subscripts(l, r) AS CASE r WHEN true THEN list_reverse(l) WHEN false THEN l END",
    *(
        f"CREATE OR REPLACE MACRO tw_int_{name}(x) AS CASE WHEN x < {low} OR x > {high} THEN error('[22003] {word} out of range') ELSE CAST(x AS {duck}) END"
        for name, duck, word, low, high in (
            ("int2", "SMALLINT", "smallint", -32768, 32767),
            ("int4", "INTEGER", "integer", -2147483648, 2147483647),
            ("int8", "BIGINT", "bigint", -9223372036854775808, 9223372036854775807),
        )
    ),
    "CREATE OR REPLACE MACRO tw_oid_of_int8(x) AS CASE WHEN x < 0 OR x > 4294967295 THEN error('[22003] OID out of range') ELSE CAST(x AS BIGINT) END",
    "CREATE OR REPLACE MACRO tw_int4_of_oid(x) AS CAST(CASE WHEN x > 2147483647 THEN x - 4294967296 ELSE x END AS INTEGER)",
    "CREATE OR REPLACE MACRO tw_oid_of_int4(x) AS CASE WHEN x < 0 THEN x + 4294967296 ELSE CAST(x AS BIGINT) END",
    f"CREATE OR REPLACE MACRO tw_series_last(a, b, step) AS CASE WHEN (CAST(b AS HUGEINT) - a) // step >= {_SERIES_MAX} "
    f"THEN error('[54000] generate_series of more than {_SERIES_MAX} rows for each row is not supported') ELSE b END",
    f"CREATE OR REPLACE MACRO tw_moments_last(a, b, step_us) AS CASE WHEN (epoch_us(b) - epoch_us(a)) // step_us >= {_SERIES_MAX} "
    f"THEN error('[54000] generate_series of more than {_SERIES_MAX} timestamps is not supported') ELSE b END",
    "CREATE OR REPLACE MACRO tw_step(n) AS CASE WHEN n = 0 THEN error('[22023] step size cannot equal zero') ELSE n END",
    # --- intervals and times ---
    "CREATE OR REPLACE MACRO tw_age(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN isinf(a) OR isinf(b) THEN error('[0A000] age() of an infinite timestamp is not supported') ELSE age(a, b) END",
    *(
        f"CREATE OR REPLACE MACRO tw_date_{name}(d, n) AS CASE WHEN d {sign} n BETWEEN DATE '4714-11-24 (BC)' AND DATE '5874897-12-31' OR isinf(d) THEN d {sign} n "
        "WHEN d IS NOT NULL AND n IS NOT NULL THEN error('[22008] date out of range') END"
        for name, sign in (("plus", "+"), ("minus", "-"))
    ),
    "CREATE OR REPLACE MACRO tw_days_between(a, b) AS CASE WHEN isinf(a) AND b IS NOT NULL OR isinf(b) AND a IS NOT NULL THEN error('[22008] cannot subtract infinite dates') ELSE CAST(a - b AS INTEGER) END",
    "CREATE OR REPLACE MACRO tw_series_end(x) AS CASE WHEN isinf(x) THEN error('[0A000] generate_series() to infinity is not supported') ELSE x END",
    "CREATE OR REPLACE MACRO tw_finite(x) AS CASE WHEN isfinite(x) THEN x END",
    "CREATE OR REPLACE MACRO tw_to_timestamptz(x, zone) AS CASE WHEN isfinite(x) THEN tw_moment(timezone(zone, x)) ELSE CAST(x AS TIMESTAMP WITH TIME ZONE) END",
    "CREATE OR REPLACE MACRO tw_make_date(y, m, d) AS CASE WHEN y BETWEEN 1 AND 9999 THEN coalesce(TRY_CAST(printf('%04d-%02d-%02d', y, m, d) AS DATE), "
    "tw_make_date_of(y, m, d)) ELSE tw_make_date_of(y, m, d) END",
    # Years before ours: DuckDB counts 1 BC as 0, PostgreSQL shows it as -1. Their decades, centuries and millennia, see date_parts.
    "CREATE OR REPLACE MACRO tw_year(y) AS CASE WHEN y > 0 THEN y ELSE y - 1 END",
    "CREATE OR REPLACE MACRO tw_decade(y) AS CASE WHEN y >= 0 THEN y // 10 ELSE -((9 - y) // 10) END",
    "CREATE OR REPLACE MACRO tw_century(y) AS CASE WHEN y > 0 THEN (y + 99) // 100 ELSE -((100 - y) // 100) END",
    "CREATE OR REPLACE MACRO tw_millennium(y) AS CASE WHEN y > 0 THEN (y + 999) // 1000 ELSE -((1000 - y) // 1000) END",
    "CREATE OR REPLACE MACRO tw_overlaps(a, b, c, d) AS CASE"
    " WHEN least(a, b) > least(c, d) THEN CASE WHEN c IS NULL OR d IS NULL THEN NULL WHEN least(a, b) < greatest(c, d) THEN true WHEN a IS NULL OR b IS NULL THEN NULL ELSE false END"
    " WHEN least(a, b) < least(c, d) THEN CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN least(c, d) < greatest(a, b) THEN true WHEN c IS NULL OR d IS NULL THEN NULL ELSE false END"
    " WHEN least(a, b) = least(c, d) AND a IS NOT NULL AND b IS NOT NULL AND c IS NOT NULL AND d IS NOT NULL THEN true END",
    "CREATE OR REPLACE MACRO tw_distinct_sorted(l) AS list_transform([l], lambda x: "
    "list_transform(list_filter(x, lambda e, i: i = 1 OR e.k IS DISTINCT FROM x[i - 1].k), lambda e: e.v))[1]",
)
