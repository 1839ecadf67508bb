-- What contradicts itself is told where it does; what MERGE may not look at, or write, in PostgreSQL's words.
create table tgt (tid int, balance int); create table src (sid int, delta int);
create materialized view mv as select * from tgt;
merge into mv t using src s on t.tid = s.sid when not matched then insert default values;
merge into tgt t using (select * from src where t.tid > sid) s on t.tid = s.sid when not matched then insert default values;
merge into tgt using (select * from src where tgt.tid > sid) s on tgt.tid = s.sid when not matched then insert default values;
merge into tgt t using (select * from src where tgt.tid > sid) s on t.tid = s.sid when not matched then insert default values;
merge into tgt t using lateral (select * from src where t.tid > sid) s on t.tid = s.sid when not matched then insert default values;
create table pk (a int primary key); create table fk (a int constraint fkc references pk);
alter table fk alter constraint fkc not deferrable initially deferred;
alter table fk alter constraint fkc initially deferred not deferrable;
alter table fk alter constraint fkc no inherit;
alter table fk alter constraint fkc not valid;
create table ck (a int, foreign key (a) references pk not deferrable initially deferred);
alter table fk add constraint x foreign key (a) references pk not deferrable initially deferred;
alter table fk add constraint x check (a > 0) deferrable;
alter table fk add constraint x unique (a) not valid;
alter table fk add constraint x unique (a) no inherit;
