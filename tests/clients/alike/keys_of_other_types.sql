-- Which types may refer to which; MATCH FULL and rows that were there before; sets where there may be none.
create table pk (a int, b int, primary key (a, b));
create table fk (a int, b int);
insert into pk values (1, 2); insert into fk values (1, null);
alter table fk add foreign key (a, b) references pk match full;
alter table fk add constraint later foreign key (a, b) references pk match full not valid;
alter table fk validate constraint later;
alter table fk drop constraint later;
alter table fk add foreign key (a, b) references pk match simple;
select format('create table p_%s (k %s primary key)', replace(t, ' ', '_'), t) from unnest(array['smallint', 'int', 'bigint', 'numeric', 'real', 'float8', 'text', 'varchar', 'char(5)', 'date', 'timestamp', 'timestamptz']) t order by t \gexec
select format('create table f_%s_%s (x %s references p_%s)', a, b, a, b) from unnest(array['smallint', 'int', 'bigint', 'numeric', 'real', 'float8', 'text', 'varchar', 'date', 'timestamp', 'timestamptz']) a, unnest(array['smallint', 'int', 'bigint', 'numeric', 'real', 'float8', 'text', 'varchar', 'date', 'timestamp', 'timestamptz']) b order by a, b \gexec
create table fm (id int, data int);
update fm set data = generate_series(4, 9);
insert into fm values (1) returning generate_series(1, 3);
delete from fm returning generate_series(1, 3);
update fm set data = 1 returning unnest(array[1, 2]);
update fm set (id, data) = (select generate_series(1, 1), 2);
