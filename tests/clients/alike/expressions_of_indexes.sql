create table t(tz timestamptz, s text, d date);
create index on t ((tz at time zone 'UTC'));
create index on t (((tz at time zone 'UTC')::date));
create index on t (((tz at time zone 'UTC') is null));
create index on t (((d,d) overlaps (d,d)));
create index on t ((position('a' in s)), (trim(s)), (substring(s from 1 for 2)), (overlay(s placing 'a' from 1)));
create index on t ((coalesce(s,'a')), (nullif(s,'a')), (greatest(s,'a')));
create index on t ((case when s='a' then 1 end));
create index on t ((s is not null));
create index on t ((row(s) is null));
create index on t ((s similar to 'a'));
create index on t ((s collate "C"));
create index on t ((not (s='a')));
create index on t ((cast(s as int)));
create index on t ((int '1'));
create index on t ((true));
create unique index on t ((796));
select indexdef from pg_indexes where tablename='t' order by indexname;
\d t
