-- The life of a small shop's database: every error is shown with all its fields.
\set VERBOSITY verbose
create schema app; set search_path = app, public;
create type status as enum ('new','paid','shipped','cancelled');
create domain email as text check (value ~ '^[^@]+@[^@]+$');
create table customers (id bigint generated always as identity primary key, name varchar(50) not null, mail email unique, created timestamptz not null default now(), tags text[] default '{}', meta jsonb not null default '{}');
create table orders (id serial primary key, customer_id bigint not null references customers on delete cascade, state status not null default 'new', total numeric(12,2) check (total >= 0), placed date, note text, unique (customer_id, placed));
create table items (order_id int references orders(id) on delete cascade on update cascade, line smallint, sku char(8) not null, qty int not null check (qty > 0), price numeric(10,2), primary key (order_id, line));
comment on table customers is 'who buys'; comment on column orders.total is 'in euros';
\d customers
\d orders
\d+ items
insert into customers (name, mail, tags) values ('Ada', 'ada@x.org', '{a,b}'), ('Bob', 'bob@x.org', array['c']), ('Cy', null, null) returning id, name, tags;
insert into customers (id, name) values (9, 'no');
insert into customers (id, name, created) overriding system value values (9, 'yes', '2024-01-01') returning *;
insert into customers (name, mail) values ('Eve', 'nomail');
insert into customers (name) values (repeat('x', 51));
insert into customers (name, mail) values ('Dup', 'ada@x.org');
insert into orders (customer_id, total, placed) values (1, 10.005, '2024-02-29'), (1, 20, '2024-03-01'), (2, 5.5, '2024-02-28') returning *;
insert into orders (customer_id, total) values (77, 1);
insert into orders (customer_id, total) values (1, -1);
insert into orders (customer_id, state) values (1, 'lost');
insert into items values (1, 1, 'abc', 2, 3.5), (1, 2, 'defghijk', 1, 3), (2, 1, 'x', 10, 2);
insert into items values (1, 3, 'toolong99', 1, 1);
insert into items values (1, 40000, 'a', 1, 1);
insert into items values (1, 1, 'a', 1, 1);
select o.id, o.state, sum(i.qty * i.price) as amount, string_agg(trim(i.sku), ',' order by i.line) from orders o left join items i on i.order_id = o.id group by o.id order by o.id;
select c.name, (select count(*) from orders o where o.customer_id = c.id) n, exists (select 1 from orders o where o.customer_id = c.id and o.total > 15) big from customers c order by c.id;
with recursive t(n, f) as (values (1, 1::numeric) union all select n + 1, f * (n + 1) from t where n < 25) select n, f from t where n % 5 = 0;
update orders set state = 'paid', total = total * 1.1 where customer_id = 1 returning id, state, total;
update orders o set note = c.name from customers c where c.id = o.customer_id and c.name like 'A%' returning o.id, c.name, o.note;
delete from orders using customers c where c.id = customer_id and c.name = 'Bob' returning orders.*;
update customers set tags = tags || 'z', meta = meta || '{"vip": true}' where id = 1 returning tags, meta, meta->'vip', tags[2], array_length(tags, 1), cardinality(tags);
select name, tag, ord from customers, unnest(tags) with ordinality as u(tag, ord) order by 1, 3;
alter table orders add column weight double precision default 1.5 not null, alter column note set default 'n/a', drop constraint orders_total_check, add constraint total_ok check (total >= 0) not valid;
\d orders
alter table orders validate constraint total_ok; alter table orders rename column note to remark; alter table orders alter column weight type numeric(6,3) using weight * 2; select * from orders order by id;
alter type status add value 'returned' after 'shipped'; select enum_range(null::status); select 'returned'::status > 'shipped'::status;
create index concurrently orders_by_day on orders (placed desc) where state <> 'cancelled'; create unique index on customers (lower(name)); insert into customers (name) values ('ADA');
create view paid as select o.id, c.name, o.total from orders o join customers c on c.id = o.customer_id where o.state = 'paid'; select * from paid order by 1; drop table customers; drop table customers cascade;
\d orders
create table events (at timestamptz, kind text, val float8); insert into events select timestamptz '2024-01-01 00:00+00' + (i * 37 % 1440) * interval '1 minute', (array['a','b','c'])[1 + i % 3], i / 7.0 from generate_series(1, 300) i;
select date_trunc('hour', at) h, kind, count(*), round(avg(val)::numeric, 3) from events group by 1, 2 order by 1, 2 limit 7;
select kind, percentile_cont(0.5) within group (order by val), percentile_disc(array[0.25, 0.75]) within group (order by val), mode() within group (order by extract(hour from at)) from events group by kind order by kind;
select at, val, sum(val) over w, lag(val, 2, -1.0) over w, first_value(val) over (w rows between 1 preceding and 1 following), ntile(4) over w, cume_dist() over w from events where kind = 'a' window w as (order by at, val) limit 6;
select kind, count(*) filter (where val > 20) big, grouping(kind) from events group by rollup(kind) order by kind nulls last;
select width_bucket(val, 0, 45, 5) b, count(*) from events group by b order by b;
select to_char(at, 'Day DD Mon YYYY HH12:MI:SS am') from events order by at limit 2; select to_char(1234567.891, 'FM9,999,999.00'), to_char(-5, '999PR'), to_char(12, 'RN'), to_char(0.1, '0.00EEEE');
set timezone = 'America/New_York'; select timestamptz '2024-03-10 06:59:59+00', timestamptz '2024-03-10 07:00:00+00', timestamptz '2024-11-03 05:30+00' at time zone 'Europe/Berlin', '2024-03-10 02:30'::timestamptz, date_trunc('day', timestamptz '2024-03-10 12:00+00'), timestamptz '2024-03-09 12:00+00' + interval '1 day', timestamptz '2024-03-09 12:00+00' + interval '24 hours', age(timestamptz '2024-03-10', timestamptz '2023-12-25'), justify_interval(interval '35 days 25 hours');
reset timezone; select make_date(2024, 2, 30); select '2024-02-30'::date; select '25:00'::time; select interval '1 mon -1 day' * 2.5, interval '1 year 2 months' / 3, extract(epoch from interval '1 month'), interval 'P1Y2M3DT4H5M6S';
select regexp_replace('foo bar baz', '(\w+) (\w+)', '\2 \1'), regexp_matches('a1b22', '\d+', 'g'), regexp_split_to_array('a, b,c', ',\s*'), substring('foobar' from 'o(.)b'), split_part('a/b/c', '/', -1), overlay('abcdef' placing 'ZZ' from 2 for 3), position('c' in 'abc'), translate('hello', 'el', 'ip'), format('%s|%-5s|%5s|%I|%L', 1, 'a', 'b', 'Odd name', 'it''s'), quote_nullable(null), initcap('hello wORLD'), lpad('7', 3, '0'), reverse('abc'), md5('x'), encode(sha256('x'), 'hex'), chr(8364), ascii('€'), bit_length('€'), octet_length('€');
select jsonb_agg(jsonb_build_object('k', kind, 'n', n) order by kind) from (select kind, count(*) n from events group by kind) s; select jsonb_path_query('{"a":[1,2,{"b":3}]}', '$.a[*] ? (@ > 1)'), '{"a":{"b":[1,2]}}'::jsonb #>> '{a,b,1}', jsonb_set('{"a":1}', '{b,c}', '2', true), '[1,2,3]'::jsonb - 1, '{"a":1,"b":null}'::jsonb ?& array['a','b'], jsonb_strip_nulls('{"a":1,"b":null}'), jsonb_pretty('{"a":[1,2]}'), json_typeof('[]');
