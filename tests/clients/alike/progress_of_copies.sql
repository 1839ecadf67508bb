-- How far a COPY has come, as its own triggers see it.
create table wages (name text, pay int);
create function tell_progress() returns trigger language plpgsql as $$
declare p record; begin
  for p in select * from pg_stat_progress_copy where pid = pg_backend_pid() loop
    raise notice '% % % done % out % bytes % of %', p.relid::regclass, p.command, p.type, p.tuples_processed, p.tuples_excluded, p.bytes_processed > 0, p.bytes_total;
  end loop;
  return null; end $$;
create trigger told after insert on wages for each statement execute function tell_progress();
copy wages from stdin;
ann	10
bob	20
\.
copy wages from stdin where pay > 15;
cyd	10
dan	20
eve	30
\.
insert into wages values ('fay', 1);
select count(*) from pg_stat_progress_copy;
copy wages from stdin;
bad	x
\.
select count(*) from pg_stat_progress_copy;
copy (select command, type, tuples_processed, relid from pg_stat_progress_copy) to stdout;
copy wages to stdout;
select count(*) from pg_stat_progress_copy;
select * from wages order by name;
copy (select 1 / 0) to stdout;
select count(*) from pg_stat_progress_copy;
