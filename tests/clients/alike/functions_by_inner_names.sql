-- Functions and operators that few call by these names, and views' functions.
select dexp(1), dlog1(2), dlog10(1000), numeric_exp(1.5), numeric_ln(2.0), numeric_log(2.0,8.0), numeric_sqrt(2.0), numeric_div_trunc(7.5,2);
select dexp(1000); select dlog1(0); select dlog10(-1);
select bpchar 'a ' ~<~ bpchar 'a', bpchar 'a' ~<=~ bpchar 'a  ', 'b'::bpchar ~>~ 'a'::bpchar, 'b'::char(3) ~>=~ 'b'::char(5), null::bpchar ~<~ 'a';
create table bp(a char(5)); insert into bp values('a'),('b'),('ab'),(null); select * from bp where a ~>=~ 'ab' order by 1; create index on bp(a bpchar_pattern_ops); 
select like('abc'::name,'a%'), notlike('abc'::name,'a%');
select * from pg_ident_file_mappings(); select count(*)>=0 from pg_show_all_file_settings(); select count(*)>=0 from pg_get_shmem_allocations(); select * from pg_show_replication_origin_status();
select pg_column_compression('x'::text), pg_column_compression(1);
