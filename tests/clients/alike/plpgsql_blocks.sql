-- whole programs in DO
\set SHOW_CONTEXT errors
DO $$ DECLARE i int := 3; s text := 'a'; BEGIN WHILE i > 0 LOOP s := s || i; i := i - 1; END LOOP; RAISE NOTICE '% % %', s, i, i IS NULL; END $$;
CREATE TABLE t (id int PRIMARY KEY, x int, n text);
INSERT INTO t SELECT g, g*10, 'n'||g FROM generate_series(1,5) g;
DO $$ DECLARE r record; q t%ROWTYPE; a int[] := '{1,2,3}'; e int; n t.n%TYPE; BEGIN
 FOR r IN SELECT * FROM t ORDER BY id LOOP RAISE NOTICE 'row % % %', r.id, r.n, r; END LOOP;
 SELECT * INTO q FROM t WHERE t.id = 2; RAISE NOTICE '% % %', q.x, found, q;
 SELECT x, t.n INTO e, n FROM t WHERE id = 99; RAISE NOTICE '% % %', e, n, found;
 UPDATE t SET x = x + 1 WHERE id = q.id; GET DIAGNOSTICS e = ROW_COUNT; RAISE NOTICE 'count %', e;
 a[2] := 20; RAISE NOTICE '%', a; FOREACH e IN ARRAY a LOOP CONTINUE WHEN e = 20; RAISE NOTICE 'e %', e; END LOOP;
 FOR i IN REVERSE 5..1 BY 2 LOOP RAISE NOTICE 'i %', i; EXIT WHEN i = 3; END LOOP;
 CASE e WHEN 1, 2 THEN RAISE NOTICE 'low'; WHEN 3 THEN RAISE NOTICE 'three'; END CASE;
 EXECUTE 'select x from t where id = $1' INTO e USING 2; RAISE NOTICE '%', e;
 BEGIN INSERT INTO t VALUES (1, 1); EXCEPTION WHEN unique_violation THEN GET STACKED DIAGNOSTICS n = CONSTRAINT_NAME; RAISE NOTICE '% % %', sqlstate, sqlerrm, n; END;
 q.x := '7'; RAISE NOTICE '%', q.x; r := q; RAISE NOTICE '%', r.x;
 e := count(*) FROM t; RAISE NOTICE 'count %', e;
 INSERT INTO t VALUES (100, 5) RETURNING id INTO e; RAISE NOTICE '%', e;
 e := 1.6; RAISE NOTICE '%', e;
END $$;
DO $$ DECLARE x int := 0; BEGIN x := 1 / x; END $$;
DO $$ DECLARE x int := 0; BEGIN x := 1 / 0; END $$;
DO $$ DECLARE id int := 0; BEGIN SELECT id INTO id FROM t; END $$;
DO $$ BEGIN PERFORM 1 FROM nope; END $$;
DO $$ DECLARE v varchar(2); BEGIN v := 'abc'; END $$;
DO $$ DECLARE v int; BEGIN v := 'abc'; END $$;
DO $$ BEGIN
  BEGIN
    RAISE EXCEPTION 'inner %', 1 USING HINT = 'h', DETAIL = 'd';
  EXCEPTION WHEN others THEN
    RAISE NOTICE 'got %', SQLERRM; RAISE;
  END;
END $$;
DO $$ DECLARE r record; BEGIN RAISE NOTICE '%', r.x; END $$;
DO $$ DECLARE x int; BEGIN SELECT id INTO STRICT x FROM t WHERE id = 1000; END $$;
DO $$ DECLARE x int; BEGIN SELECT id INTO STRICT x FROM t; END $$;
DO $$ BEGIN SELECT 1; END $$;
DO $$ BEGIN ASSERT 1 = 2, 'no'; END $$;
DO $$ BEGIN y := 1; END $$;
DO $$ BEGIN IF true THEN END $$;
DO $$ DECLARE c CURSOR (k int) FOR SELECT * FROM t WHERE id > k ORDER BY id; BEGIN FOR q IN c(3) LOOP RAISE NOTICE '%', q.id; END LOOP; END $$;
DO $$ BEGIN FOR i IN 1..3 LOOP INSERT INTO t VALUES (200+i); IF i = 2 THEN ROLLBACK; ELSE COMMIT; END IF; END LOOP; END $$;
SELECT id FROM t WHERE id > 199 ORDER BY 1;
BEGIN; DO $$ BEGIN COMMIT; END $$; ROLLBACK;
DO $$ BEGIN RAISE NOTICE '% % %', true, now() IS NULL, ARRAY[1,2]; END $$;
DO $$ BEGIN RAISE unique_violation USING MESSAGE = 'mine'; END $$;
DO $$ <<b>> DECLARE x int := 1; BEGIN DECLARE x int := 2; BEGIN RAISE NOTICE '% %', x, b.x; END; END $$;
DO $$ DECLARE c CURSOR FOR SELECT id, x FROM t ORDER BY id; r record; a int; b int; BEGIN OPEN c; FETCH c INTO r; RAISE NOTICE '% %', r, found; MOVE NEXT FROM c; FETCH NEXT FROM c INTO a, b; RAISE NOTICE '% %', a, b; LOOP FETCH c INTO a; EXIT WHEN NOT FOUND; RAISE NOTICE '%', a; END LOOP; RAISE NOTICE '% %', a, c; CLOSE c; OPEN c; CLOSE c; END $$;
DO $$ DECLARE c refcursor; v int; BEGIN OPEN c FOR SELECT x FROM t WHERE id = 2; FETCH c INTO v; RAISE NOTICE '%', v; CLOSE c; OPEN c FOR EXECUTE 'SELECT x FROM t WHERE id > $1 ORDER BY id' USING 2; FETCH c INTO v; RAISE NOTICE '%', v; CLOSE c; END $$;
DO $$ DECLARE c CURSOR (lo int) FOR SELECT id FROM t WHERE id > lo ORDER BY id; v int; BEGIN OPEN c(2); FETCH c INTO v; RAISE NOTICE '%', v; OPEN c(1); END $$;
DO $$ DECLARE c CURSOR FOR SELECT 1; v int; BEGIN FETCH c INTO v; END $$;
DO $$ DECLARE c CURSOR FOR SELECT 1; v int; BEGIN OPEN c; CLOSE c; FETCH c INTO v; END $$;
DO $$ DECLARE j jsonb := '{"a": 1}'; BEGIN j['c'] := '5'; RAISE NOTICE '%', j; END $$;
