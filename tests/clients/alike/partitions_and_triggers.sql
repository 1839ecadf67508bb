-- Triggers of partitioned tables: for rows they fire at the partitions, for statements at the table that is named.
create function told() returns trigger language plpgsql as $$
begin
  raise notice '% % % % on % old=% new=%', tg_name, tg_when, tg_level, tg_op, tg_table_name,
    case when tg_level = 'ROW' and tg_op <> 'INSERT' then old::text end, case when tg_level = 'ROW' and tg_op <> 'DELETE' then new::text end;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
create table t(id int, k int, s text) partition by list (k);
create table t1 partition of t for values in (1);
create trigger br before insert or delete on t for each row execute function told();
create trigger ar after insert or delete on t for each row execute function told();
create trigger st after insert or update or delete on t execute function told();
create table t2 partition of t for values in (2);
create trigger st1 after insert or update or delete on t1 execute function told();
create trigger own after insert on t1 for each row execute function told();
insert into t values (1, 1, 'a'), (2, 2, 'b'), (3, 1, 'c');
insert into t1 values (4, 1, 'd');
update t set s = 'z' where id = 1;
update t set k = 2 where id = 1;
delete from t where id in (1, 2);
merge into t using (values (3), (9)) v(i) on id = i when matched then update set s = 'm' when not matched then insert values (i, 2, 'n');
copy t from stdin;
7	1	x
8	2	y
\.
truncate t;
drop trigger br on t1;
drop trigger br on t;
alter table t disable trigger ar;
insert into t values (5, 1, 'a');
alter table t enable trigger ar;
alter trigger ar on t rename to arr;
insert into t values (6, 1, 'a');
\d t1
create trigger tr after insert on t referencing new table as n for each row execute function told();
alter table t detach partition t1;
\d t1
insert into t1 values (4, 1, 'd');
select tgrelid::regclass, tgname, tgparentid <> 0 from pg_trigger order by 1, 2;
create function bump() returns trigger language plpgsql as $$ begin new.s = new.s || '!'; return new; end $$;
create trigger b before insert or update on t for each row execute function bump();
insert into t values (10, 2, 'q') returning *;
update t set s = 'w' where id = 10 returning *;
insert into t values (10, 3, 'q');
