-- xml: values that are well-formed; there is no equality and no order.
\set VERBOSITY terse
CREATE TABLE papers (id int PRIMARY KEY, x xml, xs xml[], y xml DEFAULT '<none/>');
\d papers
INSERT INTO papers VALUES (1, '<a b="1">text &amp; more</a>'), (2, 'text only', '{<a/>,"<b>1</b>"}', '<a/><b/>'), (3, NULL);
SELECT * FROM papers ORDER BY id;
INSERT INTO papers VALUES (4, '<a>');
INSERT INTO papers VALUES (4, 'a & b');
INSERT INTO papers VALUES (4, '</r><r>');
INSERT INTO papers VALUES (4, '<a/>]]>');
INSERT INTO papers VALUES (4, ' <?xml version="1.0"?><a/>');
INSERT INTO papers VALUES (4, '<?xml?><a/>');
INSERT INTO papers VALUES (4, '<a b=1/>');
INSERT INTO papers VALUES (4, '&nbsp;');
INSERT INTO papers VALUES (5, '<?xml version="1.0" encoding="utf-8"?><a/>', NULL, '<?xml version="1.1" standalone="yes" encoding="UTF-8"?>
<a/>') RETURNING x, x::text, y, y::varchar(10), format('%s', x), to_json(x), xml_send(x);
SELECT '<!-- x --><!DOCTYPE a [<!ENTITY e "v">]><a>&e;</a>'::xml, ''::xml, '<?pi x?>'::xml, '<![CDATA[x<y]]>'::xml;
SELECT x = x FROM papers;
SELECT DISTINCT x FROM papers;
SELECT x FROM papers GROUP BY x;
SELECT x FROM papers ORDER BY x;
SELECT x FROM papers UNION SELECT x FROM papers;
SELECT greatest(x, x) FROM papers;
SELECT max(x) FROM papers;
SELECT id FROM papers WHERE x::text LIKE '%more%';
SELECT id, (id || '<i/>')::xml, xml('<f/>'), text(x) FROM papers WHERE id = 1;
SELECT (id || '<i>')::xml FROM papers WHERE id = 1;
SELECT xml_is_well_formed('<a>'), xml_is_well_formed('a'), xml_is_well_formed_document('a'), xml_is_well_formed_document(' <a/> '), xml_is_well_formed_content('<?xml?>');
CREATE INDEX ON papers (x);
CREATE TABLE k (x xml PRIMARY KEY);
UPDATE papers SET x = '<z/>' WHERE id = 1 RETURNING x;
COPY papers (id, x, xs) TO STDOUT;
COPY papers (id, x) FROM STDIN;
7	<seven/>
\.
COPY papers (id, x) FROM STDIN;
8	<eight
\.
SELECT id, x FROM papers WHERE id > 5;
PREPARE p (xml) AS SELECT $1, pg_typeof($1);
EXECUTE p ('<q/>');
SELECT E'\n<a/>'::xml, E'\n\n<b/>'::xml, (E'\n<a/>'::xml)::text, array[E'\n<a/>'::xml];
