-- Letters in either case: a letter is like itself, its lower case and its upper case, and like no other that these are cases of.
CREATE TABLE words (id int PRIMARY KEY, word text, pattern text);
INSERT INTO words VALUES (1, 'K', 'k'), (2, 'ſ', 's'), (3, 'ς', 'σ'), (4, 'ς', 'Σ'), (5, 'Σ', 'ς'), (6, 's', 'ſ'), (7, 'S', 'ſ'),
  (8, 'K', 'K'), (9, 'ẞ', 'ß'), (10, 'ß', 'ẞ'), (11, 'µ', 'μ'), (12, 'ſ', '[s]'), (13, 'ſ', '[a-z]'), (14, 'K', '^[^k]'), (15, 'KSI', '^[i-s]+$'),
  (16, 'ϐ', 'β'), (17, 'Ab', '^[[:lower:]]+$'), (18, 'Ab', '^[[:upper:]]+$'), (19, 'Ⅷ', '\x006b'), (20, 'K', '\x006b'), (21, 'aB-', '^[a-b-]+$');
SELECT id, word ~* pattern AS alike, word ~ pattern AS same FROM words ORDER BY id;
SELECT word ~* pattern FROM words WHERE id = 1;
SELECT word ~* pattern FROM words WHERE id = 2;
SELECT regexp_replace('KkK ſsS ςσΣ', 'k', 'x', 'gi'), regexp_replace('KkK ſsS ςσΣ', 's', 'x', 'gi'), regexp_replace('KkK ſsS ςσΣ', 'σ', 'x', 'gi');
SELECT regexp_matches('Kiss kiß KISS', '(k[i]s|k.ß)', 'gi');
