-- Where a nondeterministic collation is, and is not: what compares by it, what carries it.
create schema s; create collation s.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create collation det (provider = icu, locale = 'sv-SE'); create collation lc (locale = 'C');
comment on collation s.ci is 'x';
create table t (id int primary key, a text collate s.ci check (a <> 'x' collate s.ci), b varchar(4)[] collate s.ci, c text collate det default 'x' || 'y', d text, check (d collate det < 'z'), unique (c));
create index on t (d collate det); create index on t (a);
insert into t values (1,'Anna','{a,b}','c','d');
create view v as select a, d collate s.ci as e from t where a = 'anna';
create view w as select a = 'ANNA' as x, (array['a'])[1] collate s.ci as y, min(d collate det) over () from t;
insert into t values (2,'X');
\d t
\d v
\d t
\d v
select b[1] = 'A', array_length(b,1) from t where id = 1;
select (a, 1) = ('anna', 1) from t;
select a from t union all select d from t order by 1;
select * from t where (a, id) in (select d, id from t);
select count(*) from t group by rollup (a) order by 1;
select array_agg(a order by a desc) from t;
merge into t using (values ('ANNA')) v(x) on t.a = v.x when matched then update set d = 'merged'; select d from t;
select a from t where a >= 'a' and a < 'b';
select count(*) filter (where a = 'ANNA'), sum(case when a = 'ANNA' then 1 end) from t;
select distinct a, upper(d) from t;
select a similar to 'x' from t;
