-- Days and times with zones of their own; transaction numbers of 64 bits.
SET TIME ZONE 'America/Toronto';
select date '2026-11-22' + timetz '22:30:00.5-05', timetz '22:30:00.5-05' + date '2026-11-22', timestamptz(date '2026-11-22', timetz '10:00+03'), timestamptz(date '2026-11-22', time '10:00');
select d + z, z + d, timestamptz(d, z), timestamptz(d, t) from (values (date '2026-11-22', timetz '22:30:00.5-05', time '02:30'), ('infinity', '10:00+03', '10:00'), ('-infinity', '10:00+03', '10:00'), ('2024-11-03', '00:00+15:59', '01:30'), ('2024-03-10', '23:59:59-15:59', '02:30')) v(d, z, t) where isfinite(d) or z <> 'allballs';
select date '294276-12-31' + timetz '23:00-02';
select '1'::xid8 = '1'::xid8, '1'::xid8 <> '1'::xid8, '1'::xid8 < '2'::xid8, '2'::xid8 <= '2'::xid8, '3'::xid8 > '2'::xid8, '3'::xid8 >= '4'::xid8, '5'::xid8::xid, '4294967301'::xid8::xid, xid8cmp('1', '2'), xid8cmp('2', '2'), xid8cmp('3', '2');
create temp table x8 (a xid8 primary key); insert into x8 values ('1'), ('5'), ('3'); select * from x8 where a > '1' order by a; select * from x8 where a = '5'; select count(*) from x8 a join x8 b using (a); select min(a), max(a) from x8; select a is distinct from '1', a in ('1','5') from x8 order by a; select pg_current_xact_id() = pg_current_xact_id(), pg_current_xact_id() > '0'::xid8;
select pg_current_xact_id()::xid = pg_current_xact_id()::xid;
select now() = (now()::date + now()::timetz);
