-- ORDER BY of UNION and its kin: what a name that is none of the columns is close to.
create table t (q1 int, q2 int);
select q1 from t except select q2 from t order by q2;
select q1 from t except select q2 from t order by q3;
select q1 from t except select q2 from t order by q1 + q2;
select q1 from t except select q2 from t order by q1 + 1;
select q1 from t except select * from (select q2 from t) s order by q2 desc;
select q1 from t union select q2 from t union all select q1 as zz from t order by zz;
select q1 from t union select q2 from t union all select q1 as zz from t order by zzz;
(select q1 from t union select q2 from t) union all select q1 as zz from t order by q2;
select q1 as longname from t union select q2 from t order by longnam;
select q1 as longname from t union select q2 from t order by t.q1;
select q1 as longname from t union select q2 from t order by t;
select q1 as longname from t union select q2 from t order by longname, nosuchthing;
