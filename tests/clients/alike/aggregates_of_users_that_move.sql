-- Moving-aggregate mode: looked at, kept and shown; frames come to the same without it.
create aggregate msum(int) (sfunc = int4pl, stype = int, initcond = '0', msfunc = int4pl, minvfunc = int4mi, mstype = int, minitcond = '0');
select msum(x) over (order by x rows between 1 preceding and current row) from generate_series(1,4) x;
select aggkind, aggmtransfn, aggminvtransfn, aggmfinalfn, aggmfinalextra, aggmfinalmodify, aggmtranstype::regtype, aggmtransspace, aggminitval, aggfinalmodify from pg_aggregate where aggfnoid = 'msum'::regproc;
create aggregate bad(int) (sfunc = int4pl, stype = int, msfunc = int4pl);
create aggregate bad(int) (sfunc = int4pl, stype = int, minitcond = '0');
create aggregate bad(int) (sfunc = int4pl, stype = int, mstype = int);
create aggregate bad(int) (sfunc = int4pl, stype = int, mstype = int, msfunc = int4pl);
create aggregate bad(int) (sfunc = int4pl, stype = int, mstype = float8, msfunc = float8pl, minvfunc = float8mi);
create function badinv(int, int) returns int language sql as 'select $1 - $2';
create aggregate bad(int) (sfunc = int4pl, stype = int, mstype = int, msfunc = int4pl, minvfunc = badinv);
create aggregate bad(int) (sfunc = int4pl, stype = int, mstype = int, msfunc = int4pl, minvfunc = nosuch);
create aggregate bad(float8) (sfunc = float8pl, stype = float8, mstype = float8, msfunc = float8pl, minvfunc = float8mi, mfinalfunc = float8_numeric);
create aggregate bad(int) (sfunc = int4pl, stype = int, finalfunc_modify = always);
create function fin(int) returns int language sql as 'select $1 * 10';
create aggregate good(int) (sfunc = int4pl, stype = int, initcond = '0', finalfunc = fin, finalfunc_modify = read_write, msfunc = int4pl, minvfunc = int4mi, mstype = int, minitcond = '0', mfinalfunc = fin, mfinalfunc_modify = shareable, msspace = 12);
select good(x) over (order by x rows between 1 preceding and current row) from generate_series(1,4) x;
select aggfinalmodify, aggmfinalfn, aggmfinalmodify, aggmtransspace from pg_aggregate where aggfnoid = 'good'::regproc;
drop function fin;
