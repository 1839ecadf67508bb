-- XML that is put together, parsed and written out
\pset null NULL
select xmlelement(name foo, xmlattributes('a<"&>''é	
x' as b, null as c), 'x<é', null, 1), xmlelement(name foo), xmlelement(name foo, ''), xmlelement(name foo, null), xmlelement(name "a:b_x c é1", xmlattributes(1 as "_xy"));
select xmlelement(name foo, xmlattributes(true as a, date '2020-01-02' as b, timestamp '2020-01-02 03:04:05.5' as c, 1.50 as d, timestamptz '2020-01-02 03:04:05+00' as e, interval '1 day' as f, '{"a":1}'::jsonb as g), true, xml '<x/>', timestamp '2020-01-02 03:04:05');
set datestyle = 'german'; set timezone = 'Asia/Kolkata';
select xmlforest(date '2020-01-02' as d, timestamptz '2020-01-02 03:04:05+00' as t, timestamp '0044-03-15 01:02:03 BC' as bc, false as f, 1e20::float8 as x, 'a'::char(3) as y, '{1}'::jsonb is null as z);
reset datestyle; reset timezone;
select xmlforest(date 'infinity' as d);
select xmlforest(timestamp '-infinity' as d);
select xmlforest(1 as a, null as b, '' as c, 'x
	y' as d), xmlforest(null as a);
select xmlforest(1);
select xmlelement(name foo, xmlattributes(1 as a, 2 as a));
select xmlelement(name foo, xmlattributes(1));
select xmlelement(name foo, xmlattributes(x.a, b as "b c"), x.a) as e, xmlelement(name foo, a) from (values(1,2)) x(a,b);
select xmlforest(x.a, x.b as "B b", "xml:q") from (values(1,2,3)) x(a,b,"xml:q");
select xmlelement(name a, xmlelement(name b, xmlattributes(1 as x), xmlelement(name c)), xmlforest(2 as d), xmlcomment('e'), xmlpi(name f, 'g'));
select xmlconcat('<a/>', null, '<b/>'), xmlconcat(null), xmlconcat('<?xml version="1.1"?><a/>', '<?xml version="1.1" standalone="no"?><b/>'), xmlconcat('<?xml version="1.1"?><a/>','<b/>'), xmlconcat('<?xml version="1.0" standalone="yes"?><a/>','<?xml version="1.0" standalone="yes"?><b/>');
\set VERBOSITY terse
select xmlconcat('<a>');
\set VERBOSITY default
select xmlconcat(1);
select xmlcomment('a'), xmlcomment(null), xmlcomment('');
select xmlcomment('a--b');
select xmlcomment('a-');
select xmlpi(name foo), xmlpi(name foo, '  bar & '), xmlpi(name foo, null), xmlpi(name foo, '');
select xmlpi(name "XmL", 'x');
select xmlpi(name foo, 'a?>');
select xmlroot('<a/>', version '1.1'), xmlroot('<a/>', version no value), xmlroot('<a/>', version no value, standalone yes), xmlroot('<?xml version="1.1" standalone="yes"?><a/>', version no value, standalone no value), xmlroot('<?xml version="1.1" standalone="yes"?><a/>', version '1.0', standalone no), xmlroot('<?xml version="1.1" standalone="yes"?><a/>', version no value), xmlroot(null, version '1.0');
select xmlparse(content 'a<b/>'), xmlparse(document ' <a/> '), xmlparse(document '<?xml version="1.0"?><a/>' preserve whitespace), xmlparse(content null), xmlparse(content 'x' || 'y' strip whitespace);
select xmlserialize(content xml '<a/>' as text), xmlserialize(content 'good' as char(10)), xmlserialize(content xmlelement(name a) as varchar);
select xmlserialize(document xml 'bad' as text);
select xml '<a/>' is document, xml 'a' is document, xml 'a' is not document, null::xml is document, '<a/>' is document;
select 1 is document;
select xmlagg(x), xmlagg(x order by i desc), xmlagg(x) filter (where i > 5) from (values(1, xml '<a/>'),(2,null),(3,'<b/>')) v(i,x);
select xmlagg(x) from (values(1, null::xml)) v(i,x);
create table emp(id int primary key, name text, boss int);
insert into emp values(1,'A & B',null),(2,'C',1),(3,'D"',1);
select xmlelement(name team, xmlattributes(b.id as boss), xmlagg(xmlelement(name emp, xmlattributes(e.id), e.name) order by e.id desc)) from emp b join emp e on e.boss = b.id group by b.id;
select id, xmlforest(id, name, boss) from emp where id = 1;
select xmlelement(name e, emp.name) from emp where id = 3;
create view xv as select id, xmlelement(name e, xmlattributes(id as i), name) as x from emp;
select * from xv order by id;
update emp set name = xmlserialize(content xmlforest(name as n) as text) where id = 2 returning name;
select xmlelement();
select xmlelement(foo);
select xmlforest();

select xmlserialize(content 'a');
select document, content from (values(1,2)) v(document, content);
select xmlroot('<a/>');
drop view xv; drop table emp;
select xmlserialize(content xml 'bad' as int);
select xmlserialize(content xml 'bad' as varchar)::bytea;
create table emp(id int primary key, name text, x xml default xmlelement(name d, 1), check (x is document), y text generated always as (xmlserialize(content xmlforest(id as i) as text)) stored);
insert into emp(id, name) values (1, 'a');
insert into emp(id, name, x) values (2, 'a', 'bad');
select * from emp;
create view xv as select id, xmlelement(name e, xmlattributes(id as i, name), name, 'q') as x, xmlforest(name as "N n", id) as f, xmlconcat(x, x) c, xmlpi(name p, name) p, xmlroot(x, version '1.1', standalone yes) r, xmlparse(document name) d, xmlserialize(content x as text) s, x is document as isd, x is not document as nd, xmlcomment(name), xmlexists('//a' passing x) ex, xpath('//a', x) xp, (select xmlagg(x order by id) from emp) from emp;
select pg_get_viewdef('xv');
\d emp
drop view xv;
drop table emp;
select xmlserialize(content '<a>b</a>'::xml as varchar(3));
select xmlserialize(content '<a/>'::xml as varchar(4));
select xmlserialize(content '<a/>'::xml as char(6)) || '|';
select xmlserialize(content '<a/>'::xml as char(2));
select xmlserialize(content 'a  '::xml as char(2));
select xmlserialize(document '<a>b</a>'::xml as text);
create view vx as select xmlserialize(content '<a>b</a>'::xml as varchar(10)) as x;
select * from vx;
