-- Angles in degrees and shifts of smallint to the last digit and bit; NaN where a function has a domain.
select 1::int2 << 16, 1::int2 << 15, 1::int2 << 17, 1::int2 << 32, (-1)::int2 >> 17, 1::int4 << 33, 1::int8 << 65, 1::int2 << -1;
select array[[1,2],[3,4]] <= '[-1:0][2:3]={{1,2},{3,4}}'::int[], array[[1,2],[3,4]] < '[-1:0][2:3]={{1,2},{3,4}}'::int[], array[[1,2],[3,4]] > '[-1:0][2:3]={{1,2},{3,4}}'::int[], array[1,2] < '[0:1]={1,2}'::int[], array[[1,2]] < array[1,2], array[[1],[2]] < array[[1,2]];
select cotd(1e10), sind(1e10), cosd(1e10), tand(1e10), cotd(30), tand(45), sind(37), cosd(37), tand(37), cotd(37), tand(135), cotd(200);
select asin('nan'::float8), acos('nan'::float8), acosd('nan'), asind('nan'), atand('nan'), acosh('nan'::float8), atanh('nan'::float8);
select asind(0.5), acosd(0.5), atand(1), atan2d(1,1), asind(0.3), acosd(0.3), atand(0.3);
select x, sind(x), cosd(x), tand(x), cotd(x) from generate_series(-720, 720, 15) x order by x;
select x, sind(x), cosd(x), tand(x), cotd(x), sind(-x), cosd(-x), tand(-x) from (select g * 7.3 as x from generate_series(1, 80) g) q order by x;
select x, asind(x), acosd(x), atand(x), atan2d(x, 1), atan2d(-x, -2) from (select g / 20.0 as x from generate_series(-20, 20) g) q order by x;
select sind('infinity'); select cotd('-infinity'); select asind(1.1); select acosd(-1.1);
select sind('nan'), cosd('nan'), tand('nan'), cotd('nan'), atan2d('nan', 1), atand('infinity'), atand('-infinity'), cotd(0), cotd(180), tand(90), tand(270), tand(180), tand(-180), cotd(270);
select asin(1.5); select acos(-2::float8);
select timezone('-25:30:10.5'::interval, '2001-01-01'::timestamp), timezone('25:30:10.5'::interval, '2001-01-01'::timestamp), timestamptz '2001-01-01' at time zone interval '-00:00:00.5';
select substring('abc' from null for -1), substring(null from 1 for -1);
select v << s, v >> s from (values (1::int2, 16), (7, -3), (-1, 20), (300, 8), (300, 33)) q(v, s);
