-- Hours of more than 292 years, which are not counted in nanoseconds.
select interval '100000000 hours' * 2, interval '4000000 hours' * 1.5 * 2 / 3, interval '1280000000 hours'::text;
select justify_hours(interval '2562047788 hours'), extract(epoch from interval '4000000 hours'), sum(x) from (values (interval '2000000 hours'), ('2000000 hours')) v(x);
select null::interval * 2, (null::text)::interval;
select interval '4611686018427387904 usec' / 0.1;
-- One sign in front is that of all fields, in SQL's own style.
set intervalstyle = sql_standard;
select interval '-23 hours 45 min 12.34 sec', interval '-1 hour 2 min', interval '-1 day +2 hours', interval '1 hour -2 min';
reset intervalstyle;
-- What is too far away, or without end.
select date '2202020-10-05'::timestamp;
select date '2202020-10-05'::timestamptz;
-- asked again
select date '2202020-10-05'::timestamp; select date '2202020-10-05'::timestamp;
select date '2202020-10-05'::timestamptz;
select to_timestamp('Infinity'::float8), to_timestamp('-Infinity'::float8);
select to_timestamp('NaN'::float8);
select atanh(float8 'NaN'), position(B'' in B''), position(B'1' in B'01');
set timezone = '04:15';
show timezone;
select to_char(timestamptz '2020-01-01 00:00 UTC', 'HH24:MI OF');
-- Rounded once.
select sqrt(1.000000000000003), sqrt(515549506212297735.073688290367), sqrt(8015491789940783531003294973900306), sqrt(2::numeric), sqrt(1e30), sqrt(0.0001), sqrt(0::numeric);
-- Elements far from all others.
create table spread (id int, a int[]);
insert into spread values (1, '[-2147483648:-2147483647]={1,2}');
update spread set a[2147483647] = 42;
update spread set a[2147483646:2147483647] = array[4, 2];
insert into spread (id, a[0:2147483647]) values (2, '{}');
