-- Functions side by side whose records are described where they are called.
create table rngfunc (rngfuncid int, rngfuncsubid int, rngfuncname text, primary key (rngfuncid, rngfuncsubid));
insert into rngfunc values(1,1,'Joe'); insert into rngfunc values(1,2,'Ed'); insert into rngfunc values(2,1,'Mary');
create function g6(int) returns record as 'select * from rngfunc where rngfuncid = $1;' language sql;
create function g7(int) returns setof record as 'select * from rngfunc where rngfuncid = $1 order by 2;' language sql;
create function g9(int) returns rngfunc as 'declare t rngfunc%rowtype; begin select * into t from rngfunc where rngfuncid = $1 order by 2; return t; end;' language plpgsql;
create function gp(int) returns setof record as 'declare r record; begin for r in select * from rngfunc where rngfuncid >= $1 order by 1, 2 loop return next r; end loop; end;' language plpgsql;
select * from rows from( g6(1) as (rngfuncid int, rngfuncsubid int, rngfuncname text) );
select * from rows from( g7(1) as (rngfuncid int, rngfuncsubid int, rngfuncname text) );
select * from rows from( g7(1) as (rngfuncid int, rngfuncsubid int, rngfuncname text) ) with ordinality;
select * from rows from( g7(1) as (a int, b int, c text), generate_series(1,3) ) as z(a, b, c, d);
select * from rows from( g7(1) as (a int, b int, c text), gp(1) as (x int, y int, z text), g9(1)) as t;
select * from rows from( gp(1) as (x int, y int, z text), g7(1) as (a int, b int, c text) ) as t(k, l, m, n, o, p) where k = 1;
create view vw as select * from rows from( g7(1) as (rngfuncid int, rngfuncsubid int, rngfuncname text), generate_series(1, 2) );
select * from vw;
select json_agg(t) from rows from( g7(1) as (a int, b int, c text), generate_series(1,2) ) t;
select v.n, t.* from (values (1), (2)) v(n), rows from( g7(v.n) as (a int, b int, c text), generate_series(1, v.n) ) t order by 1, 3;
select * from rows from( g7(1) as (a int, b int) );
select * from rows from( generate_series(1,2) as (a int) );
