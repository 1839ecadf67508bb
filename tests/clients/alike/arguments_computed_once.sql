-- Arguments that are other values each time, and sets, where a body names them twice or asks a query with them.
create table o(id int primary key, name text); insert into o values (0,'u'),(1,'b'),(2,'c'); create sequence s;
create function h(i bigint) returns bigint language sql as $$select i + (select count(*) from o)$$;
create function h2(i bigint) returns bigint language sql as $$select i + i$$;
create function h3(i bigint) returns setof bigint language sql as $$select i + id from o order by id$$;
select h(nextval('s')) from o; select h2(nextval('s')) from o; select * from h3(nextval('s'));
select h2(generate_series(1,3)); select h(generate_series(1,3));
update o set name = h(nextval('s'))::text returning name;
create function drawn() returns int language sql as 'select id from o order by random() limit 1';
create function least_of(a float) returns int language sql as 'select min(id) from o where id > a';
select count(drawn()) from o;
select least_of(random()) > 0 from o;
