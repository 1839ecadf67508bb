-- Abbreviations that have meant several offsets at their place: by the moment.
set timezone='UTC'; select '2001-01-01 10:00 MSK'::timestamptz, '2001-07-01 10:00 MSD'::timestamptz, '2012-07-01 10:00 MSK'::timestamptz,'2015-07-01 10:00 MSK'::timestamptz, '10:00 MSK'::timetz, timestamp '2012-01-01' at time zone 'MSK', timestamptz '2012-01-01' at time zone 'EST', timestamp '2012-07-01' at time zone 'edt';
select '15:36:39 m2 EST'::timetz; 
set timezone='MSK';
select t at time zone 'MSK', t at time zone 'msk', timezone(z, t) from (values (timestamptz '2012-07-01 10:00Z', 'MSK'), ('2001-07-01 10:00Z', 'VET'), ('2016-07-01 10:00Z', 'VLAT'), ('2012-01-01Z', 'FKT')) v(t, z);
select t at time zone 'MSK', timezone(z, t) from (values (timestamp '2012-07-01 10:00', 'MSK'), ('2001-07-01 10:00', 'VET'), ('2016-07-01 10:00', 'VLAT'),('1890-07-01 10:00', 'MSK')) v(t, z);
select '15:36:39 MSK m2'::timetz; select '2012-07-01 15:36:39 MSK'::timetz; select '15:36:39 MSK'::time; select '1890-01-01 MSK'::timestamptz; select '9999-01-01 MSK'::timestamptz;
select grouping(a, b) from (values (1,2)) v(a,b) group by rollup (a); select grouping(a + 1) from (values (1)) v(a) group by a;

-- of networks
SELECT c, abbrev(c) FROM unnest(ARRAY['2001:db8::/32', '::/0', '2001::/16', '2001:db8:0:1::/64', '::1/128', '::ffff:1.2.3.4/128', '2001:db8:1::/48', 'fe80::/10',
  '0:0:0:1::/64', '1:2::/33', '0:0:3::/48', '1:0:0:0:5::/80', '::1.2.3.4/128', '::1.2.0.0/112', '::1.2.3.0/120', '::ffff:1.2.0.0/112', '10.0.0.0/7', '10.1.0.0/20',
  '0.0.0.0/0']::cidr[]) AS c;
