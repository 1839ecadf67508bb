-- COMMIT and ROLLBACK AND CHAIN in procedures and DO: the next transaction is like the one that has ended.
create table chained (a int, level text, ro text);
create procedure chained_by() language plpgsql as $$
begin
  insert into chained values (1, current_setting('transaction_isolation'), current_setting('transaction_read_only'));
  commit;
  set transaction isolation level repeatable read;
  insert into chained values (2, current_setting('transaction_isolation'), current_setting('transaction_read_only'));
  commit and chain;
  insert into chained values (3, current_setting('transaction_isolation'), current_setting('transaction_read_only'));
  rollback and chain;
  insert into chained values (4, current_setting('transaction_isolation'), current_setting('transaction_read_only'));
  commit;
  insert into chained values (5, current_setting('transaction_isolation'), current_setting('transaction_read_only'));
end $$;
set default_transaction_isolation = 'read committed';
call chained_by();
select * from chained order by a;
do $$
begin
  commit;
  set transaction read only;
  perform 1;
  commit and chain;
  begin
    insert into chained values (6);
  exception when others then
    raise notice '%', sqlerrm;
  end;
  commit and no chain;
  insert into chained values (7);
end $$;
select a from chained order by a;
begin;
call chained_by();
rollback;
drop table chained;
