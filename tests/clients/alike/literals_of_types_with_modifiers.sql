-- A literal behind its type and the type's modifiers.
select varbit(2) '1111', bit varying(2) '101' b, bit(2) '101', bpchar(2) 'abc', bit varying(4)'101' || B'1';
select timetz(2) '10:00:00.126', timestamptz(1) '2020-01-01 00:00:00.77', timetz(0)'10:00:00.6' t, time(2) with time zone '10:00:00.126';
select national character varying(2) 'abc', national char(2) 'abc', dec(3,1) '1.55', decimal(4) '1.5', numeric(3,1) '1.25' n, varchar(3) 'abcd';
select length(varbit(3) '10101') where timetz(0) '10:00:00.6' = '10:00:01' and bpchar(2) 'ab' = 'ab ';
create table fitted_literals (a varbit(3) default varbit(3) '10101');
insert into fitted_literals default values; select * from fitted_literals;
