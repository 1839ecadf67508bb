-- Days and moments that texts of rows say: by the session's settings, and at its transaction's time.
\set VERBOSITY verbose
create table dr_docs (id int primary key, g int, doc jsonb, s text); create index on dr_docs (g);
insert into dr_docs values (1,1,'{"d":"2024-02-03","t":"2024-02-03 04:05:06.7","z":"2024-02-03 04:05:06+02"}','3/4/2024'),(2,1,'{"d":"infinity"}','infinity'),(3,1,'{}',null),(4,2,'{"d":"x"}','2024-13-01'),(5,3,'{"d":"2024-02-30"}','today');
set timezone='Asia/Tokyo';
select id, (doc->>'d')::date, (doc->>'t')::timestamp, (doc->>'z')::timestamptz, (doc->>'t')::timestamptz from dr_docs where g=1 order by id;
select id, s::date, s::timestamp, s::timestamptz from dr_docs where g=1 order by id;
set datestyle='iso, dmy'; select id, s::date, s::timestamp(0), s::timestamptz(2) from dr_docs where g=1 order by id;
select (doc->>'d')::date from dr_docs where g=2; select s::timestamp from dr_docs where g=2; select (doc->>'d')::date from dr_docs where g=3;
begin; select s::timestamptz = date_trunc('day', now()), s::date = current_date, 'now'::text::timestamptz = now() from dr_docs where g=3; select pg_sleep(0.01); select 'now'::text::timestamptz = now(), 'now'::text::timestamp = localtimestamp, (s||' 05:00')::timestamp::time from dr_docs where id=5; commit;
update dr_docs set doc = doc || jsonb_build_object('y', extract(year from (doc->>'d')::date)) where id = 1 returning doc;
insert into dr_docs select (x->>'i')::int, 9, x, (x->>'d')::date::text from jsonb_array_elements('[{"i":20,"d":"2024-01-05"},{"i":21,"d":"2024-01-06"}]') x on conflict do nothing returning id, s;
insert into dr_docs select (x->>'i')::int, 9, x, (x->>'d')::date::text from jsonb_array_elements('[{"i":22,"d":"2024-01-35"}]') x;
select id from dr_docs where g=1 and (doc->>'d')::date > date '2024-01-01' order by id;
drop table dr_docs;
