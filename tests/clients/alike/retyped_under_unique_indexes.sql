\set VERBOSITY verbose
create table r_hosts (id int primary key, address bigint, subnet int, subnet6 int, name varchar(10));
create unique index r_hosts_a on r_hosts (address, subnet) where address is not null and address <> 0;
create unique index r_hosts_s on r_hosts (subnet, address) where subnet is not null and subnet <> 0;
create unique index r_hosts_6 on r_hosts (subnet6) where subnet6 > 0;
create unique index r_hosts_n on r_hosts (lower(name), (subnet6 + 1));
insert into r_hosts values (1, 10, 1, 1, 'A'), (2, 10, 2, 2, 'a'), (3, 0, 0, 0, 'c'), (4, 0, 0, 0, 'd');
alter table r_hosts alter column subnet type bigint;
alter table r_hosts alter column subnet6 type bigint, alter name type text, add more int default 1;
\d r_hosts
select * from r_hosts order by id;
insert into r_hosts values (5, 10, 1, 9, 'e');
insert into r_hosts values (5, 11, 3, 2, 'e');
insert into r_hosts values (5, 11, 3, 5000000000, 'e'), (6, 12, 5000000000, 6, 'f');
insert into r_hosts values (7, 12, 5000000000, 7, 'g');
insert into r_hosts values (7, 13, 7, 5000000000, 'h');
insert into r_hosts values (7, 13, 7, 1, 'a'), (8, 13, 8, -1, 'E') on conflict do nothing;
update r_hosts set subnet6 = 1 where id = 4;
select * from r_hosts order by id;
select * from r_hosts where subnet6 = 5000000000;
alter table r_hosts alter subnet type int;
delete from r_hosts where id in (5, 6);
alter table r_hosts alter subnet type smallint, alter subnet6 type int;
insert into r_hosts values (9, 10, 1, 9, 'e');
insert into r_hosts values (9, 10, 9, 40000, 'e');
\d r_hosts
select id, subnet from r_hosts order by id;
