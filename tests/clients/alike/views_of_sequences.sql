-- Sequences that views name are theirs, whatever the search path, and under whatever name they have later.
create sequence vsq; create schema vsc; create sequence vsc.other;
create view vvq as select nextval('vsq') as n, currval('public.vsq') c, 'vsq'::regclass::oid = 'public.vsq'::regclass::oid t, 'it''s' as s;
create materialized view mvq as select 'vsq'::regclass::text as t;
create view vbad as select nextval('nope');
set search_path = vsc;
select n, t, s from public.vvq; select * from public.mvq;
set search_path = '';
select pg_get_viewdef('public.vvq'::regclass), pg_get_viewdef('public.mvq'::regclass);
alter sequence public.vsq rename to vsq2;
select n from public.vvq;
select pg_get_viewdef('public.vvq'::regclass);
refresh materialized view public.mvq; select * from public.mvq;
