-- What an abbreviation meant at a moment, also where its clocks showed the same hour twice; settings that nobody knows.
set timezone = 'UTC';
select ts, ts at time zone 'MSK', ts at time zone 'Europe/Moscow' from (values (timestamptz '2014-10-25 20:59:59+00'), ('2014-10-25 21:00+00'), ('2014-10-25 21:59:59+00'), ('2014-10-25 22:00+00'), ('2011-03-26 22:59:59+00'), ('2011-03-26 23:00+00'), ('2011-03-26 23:59+00'), ('2010-01-01+00'), ('2012-07-01+00')) t(ts);
select ts at time zone 'MSK' from (values (timestamp '2014-10-26 00:00'), ('2014-10-26 00:59:59'), ('2014-10-26 01:00'), ('2014-10-26 01:30'), ('2014-10-26 02:00'), ('2011-03-27 01:59'), ('2011-03-27 02:00'), ('2011-03-27 02:30'), ('2011-03-27 03:00'), ('2010-07-01 00:00')) t(ts);
select '2014-10-26 00:30 MSK'::timestamptz, '2014-10-26 01:30 MSK'::timestamptz, '2014-10-26 02:30 MSK'::timestamptz, '2011-03-27 02:30 MSK'::timestamptz;
select current_setting('no.such', false);
select current_setting('no.such', true) is null as unknown, current_setting('nosuch', true) is null as unknown;
select current_setting('no.such', null::bool) is null as unknown;
select current_setting('nosuch', 1 = 2);
select current_setting('no.such', b) is null as unknown from (values (true)) v(b);
select current_setting('no.such', b) from (values (false)) v(b);
