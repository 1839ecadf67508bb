-- Ranges whose bounds are arrays, records or a domain's values: ordered part by part, as these are.
create type pathspan as range (subtype = int4[]);
select pathspan(array[1,2], array[2,1]);
select pathspan(array[2,1], array[1,2]);
select array[1,1] <@ pathspan(array[1,2], array[2,1]), array[1,3] <@ pathspan(array[1,2], array[2,1]), array[1] <@ pathspan(array[1,2], array[2,1]), array[1,2,3] <@ pathspan(array[1,2], array[2,1]);
select array[2,null] <@ pathspan(array[1,2], array[3]), array[1,null] <@ pathspan(array[1,2], array[2,1]), '{{1,2}}'::int[] <@ pathspan(array[1,2], array[1,2],'[]'), '[0:1]={1,2}'::int[] <@ pathspan(array[1,2], array[1,2],'[]');
select pathspan('{{1,2}}', '[5:6]={3,4}', '[]'), lower('["{{1,2}}",)'::pathspan), pathspan('{1,2}', '{{1,2}}');
select lower(x), upper(x), (lower(x))[1], x && pathspan(array[1,9], array[5]), x * pathspan(array[1,9], null) from (values (pathspan(array[1,2], array[2,1]))) v(x);
select pathspan_multirange(pathspan(array[1,2], array[2,1]), pathspan('{5}', null)), pathspan_multirange(variadic array[pathspan('{1}', '{3}'), pathspan('{2}', '{4}')]);
create table spans (id int primary key, s pathspan);
insert into spans values (1, '["{1,2}","{2,1}")'), (2, '[,"{1}"]'), (3, 'empty'), (4, null), (5, '["{1}","{2,1}")'), (6, '["{1,2}","{1,NULL}")'), (7, pathspan('{1,2}', '{2,1}', '(]'));
select * from spans order by s, id;
select s, count(*) from spans group by s order by s;
select id from spans where s @> array[1,3] order by id;
select id from spans where s = pathspan(array[1,2], array[2,1]);
insert into spans values (8, '["{2}","{1}")');

-- Numbers of one value and several texts.
create type numpath as range (subtype = numeric[]);
select numpath('{1.0,2}', '{1.00,2.5}') = numpath('{1,2.0}','{1,2.50}'), numpath('{1.0}', '{NaN}') @> '{Infinity}'::numeric[], numpath('{1.0}', '{NaN}') @> '{NaN}'::numeric[];
select n from (values (numpath('{1.50}', '{3}')), (numpath('{1.5}', '{2}')), (numpath('{-7}','{1.5}')), (numpath('{1,5}', '{9}')), (numpath('{-Infinity}', '{NaN}'))) v(n) order by n;
select count(distinct n) from (values (numpath('{1.50}', '{3}')), (numpath('{1.5}', '{3.0}')), (numpath('{-7}','{1.5}'))) v(n);
create type floatpath as range (subtype = float8[]);
select f from (values (floatpath('{1.5}', null)), (floatpath('{-0}', null)), (floatpath('{NaN}', null)), (floatpath('{-2,7}', null)), (floatpath(null, '{1}'))) v(f) order by f;

-- Records, which grow, are never their own parts, and go with their ranges.
create type fullname as (family text, given text);
create type names as range (subtype = fullname);
select names(row('a','b'), row('b','a')), upper(names(row('a','b')::fullname, row('b','a')::fullname));
select *, row_to_json(upper(t)) as u, (lower(t)).given from (values (names_multirange(names(row('a','b'), row('c','d')))), (names_multirange(names(row('e','f'), row('e','g'))))) v(t);
select row('a','c')::fullname <@ names(row('a','b'), row('b','a')), row('a',null)::fullname <@ names(row('a','b'), row('b','a')), row('b','a')::fullname <@ names(row('a','b'), row('b','a'));
select names(row('b','b'), row('b','a'));
alter type fullname add attribute c names_multirange;
alter type fullname add attribute c names;
alter type fullname add attribute c names[];
alter type fullname add attribute c fullname[];
alter type fullname add attribute middle text;
select names(row('a','b', 'x'), row('b','a','y'));
create type namelists as range (subtype = fullname[]);
select namelists(array[row('a','b','c')::fullname], array[row('a','b',null)::fullname]);
drop type namelists;
drop type fullname;
drop type fullname cascade;

-- A domain.
create domain age as int4;
create type ages as range (subtype = age);
select '[4,50)'::ages @> 7::age, ages(1, 3), ages(1,3,'[]'), lower(ages(1,3)), '{[4,50)}'::ages_multirange @> 7::age;
select ages(1,5) * ages(3, 9), range_agg(x) from (values (ages(1,2)), (ages(2,4))) v(x);
select rngsubtype::regtype, rngtypid::regtype, rngmultitypid::regtype from pg_range where rngtypid = 'ages'::regtype;
drop domain age;
drop domain age cascade;

-- Names of multiranges that are words of the grammar.
create type n1 as range (subtype = int, multirange_type_name = int);
create type n1 as range (subtype = int, multirange_type_name = character varying);
create type n1 as range (subtype = int, multirange_type_name = "int");
select '{[1,2)}'::"int";
drop type n1;
create type jsons as range (subtype = json);
