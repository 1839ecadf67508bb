-- The first subexpression of a pattern that has none is what the whole pattern matches.
CREATE TABLE words (id int PRIMARY KEY, word text);
INSERT INTO words VALUES (1, 'a1b22c333'), (2, 'xyz'), (3, NULL);
SELECT id, regexp_substr(word, '[0-9]+', 1, 2, '', 1), regexp_substr(word, '[0-9]+', 1, 2, '', 2), regexp_substr(word, '([0-9])([0-9])', 1, 1, '', 2) FROM words ORDER BY id;
SELECT id, regexp_instr(word, '[0-9]+', 1, 2, 0, '', 1), regexp_instr(word, '[0-9]+', 1, 2, 1, '', 1), regexp_instr(word, '[0-9]+', 1, 2, 0, '', 2) FROM words ORDER BY id;
SELECT regexp_substr(word, 'c|b', 1, 2, 'i', 1) FROM words WHERE id = 1;
SELECT regexp_substr(word, 'c|b', 1, 2, 'i', 1) FROM words WHERE id = 1;
