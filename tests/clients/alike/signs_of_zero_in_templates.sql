-- to_char: -0 with an exponent keeps its sign in the place of a blank; OF under FM has as many digits as it takes.
select to_char('-0'::float8, 'EEEE'), to_char('-0'::float8, '9.99EEEE'), to_char('-0'::float8, 'FM9.9EEEE'), to_char('-0'::float4, '9EEEE'), to_char('-0.0'::numeric, '9.9EEEE'), to_char(-0.0004, '9.9EEEE');
select to_char(interval '1 hour', 'FMOF'), to_char(timestamptz '2020-01-01 00:00', 'FMOF OF FMTZH TZH FMTZM');
set timezone = 'Asia/Kolkata';
select to_char(timestamptz '2020-01-01 00:00', 'FMOF OF FMTZH TZH FMTZM');
set timezone = 'America/New_York';
select to_char(timestamptz '2020-01-01 00:00', 'FMOF OF FMTZH TZH FMTZM');
set timezone = '-11';
select to_char(timestamptz '2020-01-01 00:00', 'FMOF OF FMTZH TZH FMTZM');
