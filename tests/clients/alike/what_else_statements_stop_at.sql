-- What else statements stop at: numbers with letters behind them, definitions that are none, operands and rows named by their types, bounds in DETAILs.
create table bk (a bigint, b smallint, c numeric, d bool, e float8, f date) partition by range (a);
create table bk1 partition of bk for values from (20) to (10);
create table bk1 partition of bk for values from (-20) to (-10); \d bk1
create table bs (b smallint) partition by range (b); create table bs1 partition of bs for values from (-2) to (-10); create table bs1 partition of bs for values from (2) to (10); \d+ bs1
create table bi (b int) partition by range (b); create table bi1 partition of bi for values from (2) to (-10); create table bi1 partition of bi for values from (-2) to (10); \d+ bi1
create table bn (b numeric) partition by range (b); create table bn1 partition of bn for values from (2) to (-10); create table bn1 partition of bn for values from (-2.5) to (10); \d+ bn1
create table bf (b float8) partition by list (b); create table bf1 partition of bf for values in (2, -10.5, 'inf'); \d+ bf1
create table bo (b bool) partition by list (b); create table bo1 partition of bo for values in (true); \d+ bo1
create table pk (a int); alter table pk add primary key (zz); alter table pk add unique (zz); alter table pk add primary key (a, a); create table pk2 (a int, primary key (zz)); create table pk2 (a int, unique (zz)); create table pk2 (a int, unique (a,a));
select case 'a' when 1=2 then 1 end; select case '1' when 1 then 2 end; select case null when 1 then 2 end; select case 'a' when 'a' then 1 end; 
create operator <+> (leftarg , rightarg = int, function = int4pl); create operator <+> (leftarg = int, rightarg = int, function);
alter table all set schema x; comment on as x is 'y'; create type tt (a int);  create type tt (input = f x); 
call pr(select 1);  do language plpgsql; do ; set time zone in local; set time zone case; set time zone utc; reset time zone;
create temp table wr(a int); select * from wr w join wr v on w.a = v; select w + 1 from wr w;
