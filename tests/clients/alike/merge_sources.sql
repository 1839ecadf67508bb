-- MERGE: joins as its source, and who may look at its target.
\set VERBOSITY terse
create table stock (item int, n int); create table deliveries (item int, n int); create role alike_merger;
insert into stock values (1, 1), (3, 3); insert into deliveries values (1, 2), (2, 5);
merge into stock s using deliveries d inner join deliveries e on d.item = e.item on s.item = d.item
  when matched then update set n = s.n + e.n when not matched then insert values (d.item, case when d.n > 1 then d.n end);
select * from stock order by 1;
merge into stock s using deliveries d left join (deliveries e cross join deliveries f) on d.item = e.item and case when true then true end on s.item = d.item
  when matched and s.n = 3 and f.n = 2 then delete;
grant select on deliveries to alike_merger;
set role alike_merger;
merge into stock using deliveries on true when matched then do nothing;
reset role; grant update on stock to alike_merger; set role alike_merger;
merge into stock using deliveries on true when matched then do nothing;
merge into stock using deliveries on deliveries.item = 1 and deliveries.n = 7 when matched then update set n = 1;
merge into stock using deliveries on stock.item = 1 when matched then update set n = 1;
merge into stock using deliveries on false when matched then update set n = stock.n + 1;
reset role; revoke update on stock from alike_merger; grant select (item) on stock to alike_merger; set role alike_merger;
merge into stock using deliveries on true when matched then do nothing;
reset role;
drop table stock, deliveries; drop role alike_merger;
