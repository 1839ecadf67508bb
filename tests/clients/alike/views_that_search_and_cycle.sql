-- Views with SEARCH and CYCLE are written out with their names in full, and what is written makes them again.
create schema s; create table s.g (f int, t int, "L l" text); insert into s.g values (1, 2, 'a'), (2, 3, 'b'), (3, 1, 'c');
set search_path = s, public;
create view public.v1 as with recursive sg(f, t) as (select f, t from g union all select g.f, g.t from g, sg where g.f = sg.t and g.f < 3) search depth first by f, t set seq select * from sg;
create view public.v2 as with recursive sg(f, t) as (select f, t from g union all select g.f, g.t from g, sg where g.f = sg.t) cycle f, t set is_cycle using path select f, t from sg;
create view public.v3 as with recursive sg(f, t) as (select f, t from g union all select g.f, g.t from g, sg where g.f = sg.t) cycle f, t set is_cycle to 'Y' default 'N' using path select * from sg;
create view public.v4 as with recursive o as (select 1 as z), sg(f, t, l) as (select * from g g1 union all select g.* from g, sg s where g.f = s.t and g.f < 3) search breadth first by l, f set "Ord er" select * from sg order by "Ord er";
create view public.v5 as with recursive sg(f, t) as (select f, t from g union all select sg.* from g, sg where g.f = sg.t and g.f > 10) search depth first by f set seq cycle f, t set is_cycle to true default false using path select * from sg;
create view public.v6 as with recursive sg(f, t) as (select f, t from g union select * from sg where f > 10) cycle f set "C" to 1 default 0 using path select * from sg;
reset search_path; set search_path = '';
select viewname, pg_get_viewdef(('public.' || viewname)::regclass) from pg_catalog.pg_views where schemaname = 'public' and viewname ~ '^v[0-9]+$' order by viewname;
select pg_get_viewdef('public.v3'::regclass, true);
set search_path = public;
do $$ declare r record; begin for r in select viewname, definition from pg_views where schemaname = 'public' and viewname like 'v%' order by 1 loop
  execute 'create view again_' || r.viewname || ' as ' || r.definition; raise notice '%', r.definition = (select definition from pg_views where viewname = 'again_' || r.viewname); end loop; end $$;
select * from again_v1 order by seq; select * from again_v3 order by path;
