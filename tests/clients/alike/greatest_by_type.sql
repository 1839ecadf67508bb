-- GREATEST and LEAST of types whose order is not that of how they are kept: the first of equals is taken, NULL is left out.
CREATE TYPE mood AS ENUM ('sad','ok','happy');
CREATE TABLE extremes (id int primary key, m mood, n mood, i inet, j inet, x jsonb, y jsonb, a int[], b int[], z timetz, w timetz, v interval, u interval, r int4range, s int4range);
INSERT INTO extremes VALUES (1,'sad','ok','10.0.0.2','9.0.0.10','{"a":1}','[1]','{2}','{10}','10:00+02','09:30+00','1 mon','31 days','[1,5)','[10,12)'),(2,'happy','ok','10.0.0.2/8','10.0.0.2','10','9','{1,2}','{1}','12:00+00','12:00+01','30 days','1 mon','empty','[1,2)');
SELECT id, greatest(m,n), least(m,n) FROM extremes ORDER BY id;
SELECT id, greatest(i,j), least(i,j) FROM extremes ORDER BY id;
SELECT id, greatest(x,y), least(x,y) FROM extremes ORDER BY id;
SELECT id, greatest(a,b), least(a,b) FROM extremes ORDER BY id;
SELECT id, greatest(z,w), least(z,w) FROM extremes ORDER BY id;
SELECT id, greatest(v,u), least(v,u) FROM extremes ORDER BY id;
SELECT id, greatest(r,s), least(r,s) FROM extremes ORDER BY id;
INSERT INTO extremes (id, m, i, x, b, w, u, s) VALUES (3, 'ok', '10.0.0.1', '{"a": 2}', '{3,NULL}', '01:00-03', '-1 day', '[3,)');
SELECT greatest(m, n), least(i, j), greatest(NULL, x, y), least(b, a, NULL), greatest(w, z), least(u, v), greatest(r, s) FROM extremes WHERE id = 3;
SELECT greatest(n, NULL), least(j, y::text::inet) FROM extremes WHERE id = 3;
SELECT id, greatest(a, b, '{5}'), least('{{1,2},{3,4}}', a) FROM extremes ORDER BY id;
SELECT greatest('1 mon'::interval, '30 days', '720:00:00'), least('720:00:00'::interval, '1 mon', '30 days');
SELECT greatest('sad'::mood, 'ok'), greatest(B'1', B'01');
SELECT greatest(CASE WHEN random() < 2 THEN m END, n) FROM extremes ORDER BY id;
SELECT max(greatest(m, n)), min(least(v, u)), count(greatest(x, y)) FROM extremes;
SELECT id FROM extremes WHERE greatest(i, j) = i ORDER BY least(x, y), id;
-- Types without an order.
select greatest('{}'::json, '{}');
select least('1'::xid, '2');
select greatest('a'::refcursor, 'b');
select least('1:1:'::pg_snapshot, '2:2:');
select least('1:1:'::txid_snapshot, '2:2:');
