-- Options of COPY: which there are, what they may be, and which go together.
create table ct (a int, b text, c numeric(6,2) default 1.5);
insert into ct values (1, 'one', 2), (2, null, null), (3, 'x,"y"', 0);
copy ct to stdout (format csv, force_quote (b), header);
copy ct to stdout with csv quote as '|' escape as '!' force quote a;
copy ct to stdout (force_null (a));
copy ct to stdout (format csv, force_null (a));
copy ct to stdout (force_quote (a));
copy ct from stdin (format csv, force_quote (a));
copy ct from stdin (quote '"');
copy ct from stdin (escape '"');
copy ct from stdin (force_not_null (a));
copy ct to stdout (format csv, force_not_null (a));
copy ct from stdin (header 2);
copy ct from stdin (header maybe);
copy ct to stdout (header match);
copy ct to stdout (header off);
copy ct to stdout (format binary, delimiter ',');
copy ct to stdout (format binary, null 'x');
copy ct to stdout (format binary, header);
copy ct from stdin (delimiter 'ab');
copy ct from stdin (delimiter E'\n');
copy ct from stdin (delimiter '\');
copy ct from stdin (delimiter 'a');
copy ct from stdin (null E'\n');
copy ct from stdin (null 'a,', delimiter ',');
copy ct from stdin (format csv, quote 'ab');
copy ct from stdin (format csv, escape 'ab');
copy ct from stdin (format csv, delimiter '"');
copy ct from stdin (format csv, null '"');
copy ct from stdin (format csv, header match);
a,b,c
50,x,1
\.
copy ct from stdin (format csv, header match);
a,c,b
50,x,1
\.
create sequence cs;
copy cs to stdout;
select * from ct order by a;
