-- Classes and families of extensions are visible where their schema is on the path.
create schema classes_seen;
create extension citext;
create extension pg_trgm schema classes_seen;
select opcname, opcmethod, pg_opclass_is_visible(oid) from pg_opclass where opcname ~ 'citext_ops|trgm' order by 1, 2;
select opfname, opfmethod, pg_opfamily_is_visible(oid) from pg_opfamily where opfname ~ 'citext_ops|trgm' order by 1, 2;
set search_path = classes_seen;
select opcname, opcmethod, pg_opclass_is_visible(oid) from pg_opclass where opcname ~ 'citext_ops|trgm' order by 1, 2;
select opfname, opfmethod, pg_opfamily_is_visible(oid) from pg_opfamily where opfname ~ 'citext_ops|trgm' order by 1, 2;
set search_path = public, classes_seen;
select pg_opclass_is_visible(1978), pg_opfamily_is_visible(1976), pg_opclass_is_visible(1976), pg_opfamily_is_visible(1978), pg_opclass_is_visible(0), pg_opfamily_is_visible(null);
reset search_path;
drop extension pg_trgm;
select opcname, pg_opclass_is_visible(oid) from pg_opclass where opcname ~ 'trgm';
drop extension citext;
drop schema classes_seen;
