-- COPY (INSERT ... RETURNING) TO STDOUT: a row comes before what AFTER triggers say, behind what BEFORE triggers have said of it.
create table parcels (id serial primary key, label text);
create function told() returns trigger language plpgsql as $$
begin
  raise notice '% % of %', tg_when, tg_op, coalesce(new.id, old.id);
  return coalesce(new, old);
end $$;
create trigger before_it before insert or update or delete on parcels for each row execute function told();
create trigger behind_it after insert or update or delete on parcels for each row execute function told();
copy (insert into parcels (label) values ('hat') returning id, label) to stdout;
copy (update parcels set label = 'cap' returning label) to stdout;
insert into parcels (label) values ('coat') returning label;
copy (delete from parcels where label = 'cap' returning id) to stdout;
copy (select id from parcels) to stdout;

-- A statement that has sent no rows, one of several rows whose BEFORE triggers say nothing, and one after it.
drop trigger before_it on parcels;
copy (insert into parcels (label) select 'sock' from generate_series(1, 3) returning id) to stdout;
update parcels set label = 'socks' where label = 'sock' returning id;
copy (with gone as (delete from parcels where id = 4 returning label) select label from gone) to stdout;
select count(*) from parcels;
