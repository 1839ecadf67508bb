-- TZ, TZH, TZM and OF of to_char, in zones with and without a name, before and after summer time.
set timezone = 'America/New_York';
select to_char(timestamptz '2024-01-02 03:04:05+00', 'YYYY-MM-DD HH24:MI:SS TZ tz TZH:TZM OF'), to_char(timestamptz '2024-07-02 03:04:05+00', 'HH24 TZ OF "OF"');
set timezone = 'Asia/Kolkata'; select to_char(timestamptz '2024-01-02 03:04:05+00', 'TZ TZH TZM OF'), to_char(timestamptz 'infinity', 'TZ');
set timezone = '+03:30'; select to_char(timestamptz '2024-01-02 03:04:05+00', 'TZ TZH TZM OF'); set timezone = 'UTC'; select to_char(timestamptz '2024-01-02 03:04:05+00', 'FMDay, TZ OF');
select to_char(timestamp '2024-01-02 03:04:05', 'HH TZ TZH TZM OF') || '|'; select to_char(date '2024-01-02', 'TZH OF'); set timezone = 'Europe/Berlin'; select to_char(t, 'Mon DD HH24:MI TZ') from generate_series(timestamptz '2024-03-31 00:00+00', '2024-03-31 02:00+00', '30 minutes') t; select to_char(interval '1 day', 'DD TZ');
set timezone='+03:30'; show timezone; select timestamptz '2024-01-01 00:00+00';
set timezone='+3'; show timezone; select timestamptz '2024-01-01 00:00+00';
set timezone='-5.5'; show timezone; select timestamptz '2024-01-01 00:00+00';
set time zone -7; show timezone; select timestamptz '2024-01-01 00:00+00', to_char(timestamptz '2024-01-01 00:00+00', 'TZ OF');
set time zone interval '02:30' hour to minute; show timezone; select timestamptz '2024-01-01 00:00+00', to_char(timestamptz '2024-01-01 00:00+00', 'TZ OF');
set timezone='UTC+3'; show timezone; select timestamptz '2024-01-01 00:00+00', to_char(timestamptz '2024-01-01 00:00+00', 'TZ OF');
set timezone='EST5EDT'; show timezone; select timestamptz '2024-07-01 00:00+00', to_char(timestamptz '2024-07-01 00:00+00', 'TZ OF');
set timezone='XYZ-2'; show timezone; select timestamptz '2024-07-01 00:00+00', to_char(timestamptz '2024-07-01 00:00+00', 'TZ OF');
set timezone='<+07>-7'; show timezone; select timestamptz '2024-07-01 00:00+00', to_char(timestamptz '2024-07-01 00:00+00', 'TZ OF');
set timezone='EST'; show timezone; select timestamptz '2024-07-01 00:00+00';
set timezone='GMT'; show timezone; set timezone='utc'; show timezone; set timezone='europe/berlin'; show timezone; set timezone to default; set time zone local; set timezone='Nowhere';
select timestamptz '2024-01-01 00:00+00' at time zone '+03:30', timestamptz '2024-01-01 00:00+00' at time zone interval '-02:00', timestamp '2024-01-01 00:00' at time zone 'EST5EDT', timestamptz '2024-01-01 00:00+00' at time zone 'XYZ+4';
