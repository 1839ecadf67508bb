-- Views over XMLTABLE are written out, and what is written makes them again.
create schema s; create table s.d (id int, doc xml); insert into s.d values (1, '<r><a x="1">p</a><a x="2"><b>q</b></a></r>'), (2, '<r/>');
set search_path = s, public;
create view public.v1 as select * from xmltable('/a/b' passing '<a><b>1</b></a>' columns c int path '.') x;
create view public.v2 as select d.id, x.* from d, xmltable('/r/a' passing d.doc columns n for ordinality, x int path '@x' not null, b text default 'none', "B c" varchar(3) path 'b' default 'zz', f float8 path '@x' default 0, k numeric(5,2) path '@x') x;
create view public.v3 as select * from d cross join lateral xmltable('//a' passing doc columns x text path '@x') as t;
create view public.v4 as select * from xmltable(xmlnamespaces('http://x.y' as zz, 'http://z' as "Q"), '/zz:rows/zz:row' passing '<rows xmlns="http://x.y"><row><a>10</a></row></rows>' columns a int path 'zz:a');
create view public.v5 as select (select count(*) from xmltable('//a' passing doc columns x text)) from d;
create view public.v6 as select * from xmltable('//a' passing by ref '<a/>' columns x text default null path 'x' null, y xml path '.', z text[]  path 'z') with ordinality;
reset search_path; set search_path = '';
select viewname, pg_get_viewdef(('public.' || viewname)::regclass) from pg_catalog.pg_views where schemaname = 'public' and viewname ~ '^v[0-9]+$' order by viewname;
set search_path = public;
do $$ declare r record; begin for r in select viewname, definition from pg_views where schemaname = 'public' and viewname like 'v%' order by 1 loop
  execute 'create view again_' || r.viewname || ' as ' || r.definition; raise notice '%', r.definition = (select definition from pg_views where viewname = 'again_' || r.viewname); end loop; end $$;
select * from again_v1; select * from again_v2; select * from again_v4;
