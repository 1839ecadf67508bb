-- Procedures told apart by all of their parameters, those for output among them; clocks and isolation over the ends of transactions.
create procedure clocks() language plpgsql as $$
declare s1 timestamptz := statement_timestamp(); t1 timestamptz := transaction_timestamp(); n1 timestamptz := now();
begin
  raise notice '% %', s1 = t1, n1 = t1;
  perform pg_sleep(0.01);
  commit;
  raise notice 'after commit: % % %', statement_timestamp() = s1, transaction_timestamp() > t1, now() = transaction_timestamp();
  t1 := now();
  perform pg_sleep(0.01);
  rollback;
  raise notice 'after rollback: % % %', statement_timestamp() = s1, transaction_timestamp() > t1, now() = transaction_timestamp();
end $$;
call clocks();
begin; select now() = statement_timestamp(); select pg_sleep(0.01); select now() < statement_timestamp(); commit;
do $$ declare s1 timestamptz := statement_timestamp(); begin commit; perform pg_sleep(0.01); raise notice '%', (select statement_timestamp() = s1); end $$;
create procedure p10(out a int, in b int, in c int) language sql as $$ select b - c $$;
create procedure p10(in a int, in b int, in c int) language sql as $$ select a + b - c $$;
drop procedure p10;
drop procedure p10(int, int, int);
begin; drop procedure p10(out int, int, int);
\df p10
drop procedure p10(int, int, int); rollback;
begin; drop procedure p10(in int, int, int);
\df p10
drop procedure p10(int, int, int); rollback;
begin; drop procedure p10(int, int);
\df p10
rollback;
create procedure ptx() language sql window as $$ select 1 $$;
create procedure ptx() language sql strict as $$ select 1 $$;
create procedure p4a(inout a int, inout b int) language sql as $$ select 1, 2 $$;
create procedure p4b(inout b int, inout a int) language sql as $$ call p4a(a, b); $$;
alter procedure p10(int, int, int) strict;
comment on procedure p10 is 'x';
comment on procedure p10(int, int, int) is 'x';
comment on procedure p10(out int, int, int) is 'x';
drop routine p10(int, int, int);
drop function p10(int, int, int);
create procedure q.p4b(inout b int) language sql as $$ select 1; call q.p4a(b); $$;
create schema q; create procedure q.one(inout b int) language sql as $$ select 1 $$;
create procedure q.none(b int) language sql as $$ select 1 $$;
create function fq() returns void language sql as $$ call q.one(3) $$;
create function fq() returns void language sql as $$ call q.none(3) $$;
select fq();
set default_transaction_isolation = 'read committed';
begin; set transaction isolation level repeatable read; show transaction_isolation; reset transaction isolation level; show transaction_isolation; rollback;
begin isolation level repeatable read; reset transaction_isolation; show transaction_isolation; select 1; set transaction_isolation = 'read committed'; reset transaction isolation level; rollback;
