-- What a WITH query draws is drawn once, for all the parts of a statement that read it: jobs with numbers of their own, and a log of them.
create table drawn_jobs (id bigserial primary key, p int, word text);
create table drawn_log (job bigint, p int);
with input as materialized (
  select nextval((select pg_get_serial_sequence('drawn_jobs', 'id'))) as id, p, ord from unnest(array[3, 2, 1]) with ordinality as t(p, ord)
), inserted as (
  insert into drawn_jobs as job (id, p) select id, p from input returning id, p
), logged as (
  insert into drawn_log select id, p from inserted where id in (select id from input)
)
select i.ord, ins.id from inserted ins join input i on i.id = ins.id order by i.ord;
select * from drawn_jobs order by id;
select * from drawn_log order by 1;
prepare enqueued (int[], text[]) as
with input as (select nextval('drawn_jobs_id_seq') as id, p, word, ord from unnest($1, $2) with ordinality as t(p, word, ord)),
  doubled as (select id, p * 2 as p, word, ord from input where p > 1),
  inserted as (insert into drawn_jobs select id, p, word from doubled returning *)
select input.id, input.p, doubled.p, inserted.p, inserted.word from input left join doubled using (id) left join inserted using (id) order by ord;
execute enqueued ('{3,2,1}', '{a,b,c}');
execute enqueued ('{1,2,3}', '{a,b,c}');
-- Also what is drawn by chance.
with made as (select gen_random_uuid() as u, random() as r, n from generate_series(1, 3) n),
  kept as (insert into drawn_log select n + 100, n from made returning job),
  words as (insert into drawn_jobs (p, word) select n, u::text || r from made returning word)
select count(*), count(distinct u), (select count(*) from kept) from made join words on word = u::text || r;
-- One that a write ends, and one that nobody reads.
with numbers as (select nextval('drawn_jobs_id_seq') as id from generate_series(1, 2)),
  gone as (delete from drawn_log returning p)
insert into drawn_jobs (id, p) select id, (select count(*) from gone) from numbers returning *;
with unread as (select nextval('drawn_jobs_id_seq') as id), gone as (delete from drawn_log returning p) select count(*) from gone;
select nextval('drawn_jobs_id_seq');
-- One of fewer columns than it has names for, one that is renamed, one within another.
with n(a, b) as (select nextval('drawn_jobs_id_seq'), 1), i as (insert into drawn_log select a, b from n returning *) select n.a = i.job as same, n.b, i.p from n, i;
with n(a, b) as (select nextval('drawn_jobs_id_seq')), i as (insert into drawn_log select a, b from n) select 1;
with outermost as (with n as (select nextval('drawn_jobs_id_seq') as a) select a, a as again from n), i as (insert into drawn_log select a, again from outermost returning *)
select job = p as same, job = a as once from i, outermost;
with recursive r as (select 1 as n union all select n + 1 from r where n < 3), v as (select n, nextval('drawn_jobs_id_seq') as a from r),
  i as (insert into drawn_log select a, n from v returning *) select p, n, job = a as same from i join v on job = a order by 1;
