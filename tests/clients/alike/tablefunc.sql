-- tablefunc: tables turned (crosstab), trees walked (connectby), numbers of chance around a mean.
SELECT * FROM crosstab('SELECT 1') AS t(a int, b int);
CREATE EXTENSION tablefunc;
\dx tablefunc
CREATE TABLE ct (id serial PRIMARY KEY, rowclass text, rowid text, attribute text, val text);
INSERT INTO ct (rowclass, rowid, attribute, val) VALUES
 ('group1','test1','att1','val1'), ('group1','test1','att2','val2'), ('group1','test1','att3','val3'), ('group1','test1','att4','val4'),
 ('group1','test2','att1','val5'), ('group1','test2','att2','val6'), ('group1','test2','att3','val7'), ('group1','test2','att4','val8'),
 ('group2','test3','att1','val1'), ('group2','test3','att2','val2'), ('group2','test3','att3','val3'),
 ('group2','test4','att1','val4'), ('group2','test4','att2','val5'), ('group2','test4','att3','val6'), ('group1', NULL, 'att1', 'val9'), ('group1', NULL, 'att2', 'val10');
SELECT * FROM crosstab2('SELECT rowid, attribute, val FROM ct WHERE rowclass = ''group1'' AND (attribute = ''att2'' OR attribute = ''att3'') ORDER BY 1, 2');
SELECT * FROM crosstab3('SELECT rowid, attribute, val FROM ct WHERE rowclass = ''group1'' ORDER BY 1, 2');
SELECT * FROM crosstab4('SELECT rowid, attribute, val FROM ct ORDER BY 1, 2') WHERE category_4 IS NULL;
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM ct WHERE rowclass = ''group1'' ORDER BY 1, 2') AS c(rowid text, att1 text, att2 text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM ct WHERE rowclass = ''group1'' ORDER BY 1, 2', 4) AS c(rowid text, att1 text, att2 text, att3 text, att4 text, att5 text);
SELECT c.att1, count(*) FROM crosstab('SELECT rowid, attribute, val FROM ct ORDER BY 1, 2') AS c(rowid text, att1 text) GROUP BY 1 ORDER BY 1;
SELECT * FROM crosstab('SELECT id, attribute, id * 1.5 FROM ct ORDER BY 1') AS c(id int, a numeric) LIMIT 3;
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM ct WHERE false') AS c(rowid int, a date);
SELECT * FROM crosstab('SELECT rowid, attribute FROM ct') AS c(rowid text, a text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM ct') AS c(rowid int, a text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM ct') AS c(rowid text, a text, b int);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM ct') AS c(rowid text);
SELECT * FROM crosstab('SELECT nothing FROM ct') AS c(rowid text, a text);
SELECT * FROM crosstab('DELETE FROM ct RETURNING rowid, attribute, val') AS c(rowid text, a text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM ct');
SELECT * FROM crosstab(NULL) AS c(rowid text, a text);
-- with categories
CREATE TABLE cth (rowid text, rowdt timestamp, attribute text, val text);
INSERT INTO cth VALUES ('test1','2003-03-01','temperature','42'), ('test1','2003-03-01','test_result','PASS'), ('test1','2003-03-01','volts','2.6987'),
 ('test2','2003-03-02','temperature','53'), ('test2','2003-03-02','test_result','FAIL'), ('test2','2003-03-02','test_startdate','01 March 2003'), ('test2','2003-03-02','volts','3.1234'), ('test2','2003-03-02',NULL,'lost'), ('test2','2003-03-02','else','lost');
SELECT * FROM crosstab('SELECT rowid, rowdt, attribute, val FROM cth ORDER BY 1', 'SELECT DISTINCT attribute FROM cth WHERE attribute IS NOT NULL AND attribute <> ''else'' ORDER BY 1')
 AS c(rowid text, rowdt timestamp, temperature int4, test_result text, test_startdate timestamp, volts float8);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM cth ORDER BY 1', 'VALUES (''volts''), (''temperature'')') AS c(rowid text, volts numeric(5,2), temperature text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM cth ORDER BY 1', 'VALUES (''volts''), (''test_result'')') AS c(rowid text, volts numeric, test_result int);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM cth ORDER BY 1', 'VALUES (''volts'')') AS c(rowid text, a text, b text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM cth', 'SELECT 1 WHERE false') AS c(rowid text, a text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM cth', 'SELECT 1, 2') AS c(rowid text, a text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM cth', 'SELECT NULL') AS c(rowid text, a text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM cth', 'VALUES (''a''), (''a'')') AS c(rowid text, a text, b text);
SELECT * FROM crosstab('SELECT rowid, val FROM cth', 'VALUES (''a'')') AS c(rowid text, a text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM cth WHERE false', 'VALUES (''a'')') AS c(rowid text, a text, b text);
SELECT * FROM crosstab('SELECT rowid, attribute, val FROM cth', 'VALUES (''a'')') AS c(rowid text);
-- trees
CREATE TABLE tree (keyid text, parent_keyid text, pos int);
INSERT INTO tree VALUES ('row1', NULL, 0), ('row2', 'row1', 0), ('row3', 'row1', 0), ('row4', 'row2', 1), ('row5', 'row2', 0), ('row6', 'row4', 0), ('row7', 'row3', 0), ('row8', 'row6', 0), ('row9', 'row5', 0);
SELECT * FROM connectby('tree', 'keyid', 'parent_keyid', 'row2', 0, '~') AS t(keyid text, parent_keyid text, level int, branch text) ORDER BY branch;
SELECT * FROM connectby('tree', 'keyid', 'parent_keyid', 'row2', 0) AS t(keyid text, parent_keyid text, level int) ORDER BY 3, 1;
SELECT * FROM connectby('tree', 'keyid', 'parent_keyid', 'pos', 'row2', 0, '~') AS t(keyid text, parent_keyid text, level int, branch text, pos int) ORDER BY pos;
SELECT * FROM connectby('tree', 'keyid', 'parent_keyid', 'pos', 'row2', 0) AS t(keyid text, parent_keyid text, level int, pos int) ORDER BY pos;
SELECT * FROM connectby('tree', 'keyid', 'parent_keyid', 'pos', 'row1', 1, '/') AS t(keyid text, parent_keyid text, level int, branch text, pos int) WHERE level > 0;
SELECT * FROM connectby('tree', 'keyid', 'parent_keyid', 'nowhere', 0) AS t(keyid text, parent_keyid text, level int);
CREATE TABLE numbered (keyid int, parent_keyid int);
INSERT INTO numbered VALUES (1, NULL), (2, 1), (3, 1), (4, 2), (5, 2), (6, 4), (7, 3), (8, 6), (9, 5);
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', '2', 0, '~') AS t(keyid int, parent_keyid int, level int, branch text) ORDER BY branch;
SELECT t.*, n.parent_keyid FROM connectby('numbered', 'keyid', 'parent_keyid', '4', 2) AS t(keyid int, above int, level int) JOIN numbered n USING (keyid) ORDER BY 1;
INSERT INTO numbered VALUES (10, 9), (11, 10), (9, 11);
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', '2', 0, '~') AS t(keyid int, parent_keyid int, level int, branch text);
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', '2', 4, '~') AS t(keyid int, parent_keyid int, level int, branch text) ORDER BY branch;
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', '2', 0, '~') AS t(keyid int, parent_keyid text, level int, branch text);
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', '2', 0, '~') AS t(keyid int, parent_keyid int, level text, branch text);
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', '2', 0, '~') AS t(keyid int, parent_keyid int, level int, branch int);
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', '2', 0, '~') AS t(keyid int, parent_keyid int, level int);
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', '2', 0) AS t(keyid text, parent_keyid text, level int);
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', '2', 0) AS t(keyid int8, parent_keyid int8, level int);
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', 'keyid', '2', 0) AS t(keyid int, parent_keyid int, level int, pos text);
SELECT * FROM connectby('numbered', 'keyid', 'parent_keyid', 'keyid', '2', 0, '~') AS t(keyid int, parent_keyid int, level int, b text, pos text);
SELECT * FROM connectby('missing', 'keyid', 'parent_keyid', '2', 0) AS t(keyid int, parent_keyid int, level int);
-- chance
SELECT count(*), avg(x) BETWEEN 240 AND 260 FROM normal_rand(1000, 250, 20) AS x;
SELECT normal_rand(-1, 0, 0);
SELECT count(*), min(x), max(x) FROM normal_rand(3, 5, 0) x;
-- kept texts
CREATE VIEW turned AS SELECT * FROM crosstab('SELECT rowid, attribute, val FROM ct ORDER BY 1, 2') AS c(rowid text, att1 text, att2 text);
CREATE VIEW turned2 AS SELECT row_name, category_1 FROM crosstab2('SELECT rowid, attribute, val FROM ct ORDER BY 1, 2');
SELECT * FROM turned ORDER BY 1 LIMIT 1;
SELECT * FROM turned2 ORDER BY 1 LIMIT 1;
\d+ turned
CREATE FUNCTION per_row(which text) RETURNS SETOF record LANGUAGE sql AS $$ SELECT * FROM crosstab('SELECT rowid, attribute, val FROM ct WHERE rowid = ' || quote_literal(which)) AS c(rowid text, a text) $$;
SELECT * FROM per_row('test2') AS p(rowid text, a text);
BEGIN; UPDATE ct SET val = 'changed' WHERE id = 1; SELECT att1 FROM turned WHERE rowid = 'test1'; ROLLBACK;
CREATE ROLE alike_turner; GRANT SELECT ON turned TO alike_turner; SET ROLE alike_turner;
SELECT count(*) FROM turned;
RESET ROLE; DROP OWNED BY alike_turner; DROP ROLE alike_turner;
DROP EXTENSION tablefunc;
DROP EXTENSION tablefunc CASCADE;
