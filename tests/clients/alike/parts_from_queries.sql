-- INSERT ... SELECT of literals into parts of columns: each is read as what its part is
create type pafq_c as (if1 int, if2 text[]);
create table pafq (f1 int, f2 int[], f3 pafq_c, f4 pafq_c[], f5 jsonb);
insert into pafq (f3.if1, f3.if2) select 3, '{baz,quux}';
insert into pafq (f2[1], f2[2]) select '1', '2';
insert into pafq (f2[1:2]) select '{7,8}';
insert into pafq (f3.if2[1], f3.if2[2]) select 'bear', 'beer';
insert into pafq (f4[1].if1, f4[1].if2[2]) select '9', 'x';
insert into pafq (f5['a']) select '1';
insert into pafq (f3.if1) select 'x';
insert into pafq (f3.none) select 'x';
insert into pafq (f3.if1, f3.if2) values (1, default);
insert into pafq (f3.if1, f3.if2) select 1, 2;
insert into pafq (f3.if1, f3.if2) select $1, $2;
prepare pafq_p as insert into pafq (f3.if1, f3.if2) select $1, $2 returning f3; execute pafq_p (1, '{p}');
select * from pafq;
update pafq set f3.if1 = '8' where f3 is not null; update pafq set f3.if2 = 5; update pafq set f3.if1 = 'q'; update pafq set f2[1] = 'x'::text; update pafq set f4[1].if1 = true; table pafq;
