-- A column's name right behind a type with a modifier is no part of the type.
select '1.26 s'::interval(1) c, x::interval(2) y, x::interval(2) total, x::interval d from (values (interval '1.239 s')) v(x);
select '1.26 s'::interval(1) "c", x::interval(0) from (values (interval '1.5 s')) v(x) where x::interval(0) is not null and x::interval(0) > '1 s'::interval(1) order by x::interval(1) desc limit 1;
create table named_c as select '1.26 s'::interval(1) c from (values (1)) v;
create view named_v as select '1.26 s'::interval(1) c, x::interval day to second(2) e, x::interval minute f, x::interval(1) h from (values (interval '1 s')) v(x);
select pg_get_viewdef('named_v');
select c::interval(0) m, e::interval(1) s, f g from named_v;
select '10:00:00.26'::time(1) t, '2020-01-01 10:00:00.26'::timestamp(1) ts, 'abc'::varchar(2) v, 1.26::numeric(3,1) n, '101'::bit(2) b, '10:00:00.26'::timetz(1) z, '10:00:00.26'::time(1) with time zone zz;
select array_agg(x::interval(1) order by x) a, max(x::interval(0)) m from (values (interval '1.26 s')) v(x) group by x::interval(1) having count(x::interval(2)) > 0;
