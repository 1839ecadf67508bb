-- A domain over a domain has the default that this one had when it was made, and later ones of its own.
create domain d1 as int default 5;
create domain d2 as d1;
create domain d3 as d2 default null;
create table t (a d1, b d2, c d3, n int);
insert into t (n) values (1);
alter domain d1 set default 9;
insert into t (n) values (2);
alter domain d1 drop default;
insert into t (n) values (3);
alter domain d2 drop default;
insert into t (n) values (4);
