-- hstore and rows: hstore(record), populate_record, #=.
create extension hstore;
create domain positive as int check (value > 0);
create type spot as (x int, y numeric(6,2));
create table goods (id int, name text, price numeric(8,2), since date, tags text[], at spot, ok boolean, "Odd Name" char(4), n positive);
insert into goods values (1, 'a "b"', 1.5, '2020-01-02', '{x,"y z"}', (1, 2.5), true, 'ab', 3), (2, null, null, null, null, null, null, null, 4);
select hstore(g) from goods g order by id;
select hstore(g.*) from goods g where id = 1;
select hstore(v) from (values (1, 'foo', 1.2, 3::float8)) v(a, b, c, d);
select hstore(row(1, 'x', null::int, date '2020-05-06'));
select hstore((1,2.345)::spot);
set datestyle = 'german, dmy';
select hstore(g)->'since' from goods g where id = 1;
reset datestyle;
-- What audit triggers do.
create table log (id serial, was hstore, changed hstore);
create function noted() returns trigger language plpgsql as $$ begin
  insert into log (was, changed) values (hstore(old), hstore(new) - hstore(old));
  new := new #= hstore('name', upper(new.name));
  return new;
end $$;
create trigger noted before update on goods for each row execute function noted();
update goods set price = price + 1, name = 'q', tags = tags || 'w' where id = 1;
update goods set ok = false;
select id, changed from log order by id;
select was from log order by id limit 1;
table goods order by id;
-- Rows filled up.
select populate_record(g, 'price=>7.777, since=>"3 May 2021", tags=>"{1,2}", at=>"(5,6)", id=>NULL') from goods g order by name;
select (g #= 'name=>new, nobody=>1').* from goods g where id = 1;
select (g #= '').*, g #= null from goods g where id = 1;
select populate_record(null::spot, 'x=>1, y=>2.555'), null::spot #= hstore('y', '9'), (1,2)::spot #= hstore('x', null);
select null::spot #= null, populate_record(null::spot, '');
select populate_record(g, 'n=>0') from goods g where id = 1;
select populate_record(g, 'id=>many') from goods g where id = 1;
select populate_record(g, 'since=>"30 Feb 2021"') from goods g where id = 1;
select populate_record(null::goods, 'name=>alone');
select * from populate_record(null::spot, 'x=>4');
select x from (select 1 as a, 'z'::text as b) v, lateral (select v #= 'b=>y') w(x);
select populate_record(1, 'x=>4');
select 1 #= 'x=>4'::hstore;
select populate_record(row(1,2), 'f1=>4');
insert into goods select (g #= 'id=>7, name=>seven').* from goods g where id = 1 returning id, name, price;
do $$ declare g goods; h hstore; begin select * into g from goods where id = 7; h := hstore(g); raise notice '%', h; g := g #= (h || 'name=>"in a body"'); raise notice '%', g; end $$;
drop table log, goods; drop function noted;
-- Arrays of several dimensions.
select 'aa=>1, c=>3, b=>2, d=>4'::hstore -> array[['b','d'],['aa','c']], 'a=>1'::hstore -> array['a','z',null], 'a=>1'::hstore -> '{}'::text[], 'a=>1, b=>2'::hstore -> '[5:6]={a,b}'::text[];
select array[['a','g','b'],['h','asd','i']]::hstore;
select array[[['a','g'],['b','h'],['asd','i']]]::hstore;
select hstore(array[['a','g'],['b','h'],['asd',null]]), array['a','g','b',null]::hstore, '{}'::text[]::hstore, hstore(array[['a','b','c']]);
select array['a','g','b']::hstore;
create table ha (k text[], h hstore); insert into ha values ('{a,b}', 'a=>1'), ('{{a},{b}}', 'b=>2'), (null, 'a=>1'), ('{{a,x},{b,y}}', null);
select h -> k, hstore(k) from ha where array_ndims(k) is distinct from 2 or cardinality(k) = 4;
select h -> k from ha;
select (h -> k)[1] from ha;
select unnest(h -> k) from ha;
