-- A pattern ended by its escape character: an error only where a text gets as far, and goes on.
\set VERBOSITY verbose
SELECT 'b' LIKE 'a#' ESCAPE '#', 'b' NOT LIKE 'a#' ESCAPE '#', 'b' ILIKE 'A#' ESCAPE '#';
SELECT 'ab' LIKE 'a#' ESCAPE '#';
SELECT 'ab' NOT LIKE 'a#' ESCAPE '#';
SELECT 'ab' ILIKE 'A#' ESCAPE '#';
SELECT 'a#' LIKE 'a##' ESCAPE '#', 'a#' LIKE 'a####' ESCAPE '#', 'a\' LIKE 'a#\' ESCAPE '#', 'a%' LIKE 'a#%' ESCAPE '#';
SELECT like_escape('a#', '#'), like_escape('a##', '#'), like_escape('a#\b\', '#'), like_escape('#', '#'), like_escape('a#', '');
SELECT like_escape('a#'::bytea, '#'::bytea), like_escape('a##'::bytea, '#'::bytea);
SELECT '\x62'::bytea LIKE '\x615c'::bytea, '\x61'::bytea LIKE '\x615c'::bytea, '\x61'::bytea NOT LIKE '\x615c'::bytea, ''::bytea LIKE '\x5c'::bytea, ''::bytea LIKE '\x255c'::bytea;
SELECT '\x6162'::bytea LIKE '\x615c'::bytea;
SELECT '\x61'::bytea LIKE '\x5c'::bytea;
SELECT '\x61'::bytea LIKE '\x255c'::bytea;
SELECT '\x6162'::bytea LIKE '\x2562255c'::bytea;
SELECT '\x616263'::bytea LIKE '\x2562255c'::bytea;
SELECT '\x62'::bytea LIKE '\x6123'::bytea ESCAPE '#'::bytea, '\x61'::bytea LIKE '\x6123'::bytea ESCAPE '#'::bytea;
SELECT '\x610a'::bytea LIKE '\x6123'::bytea ESCAPE '#'::bytea;
CREATE TABLE pe_codes (id int PRIMARY KEY, code text, code_bytes bytea);
INSERT INTO pe_codes VALUES (1, 'b', 'b'), (2, 'cd', 'cd'), (3, NULL, NULL);
SELECT id, code LIKE 'a#' ESCAPE '#', code_bytes LIKE 'a#'::bytea ESCAPE '#'::bytea FROM pe_codes ORDER BY id;
SELECT id, code LIKE 'c#' ESCAPE '#' FROM pe_codes ORDER BY id;
SELECT id FROM pe_codes WHERE id = 1 AND code NOT LIKE 'a#' ESCAPE '#';
SELECT id FROM pe_codes WHERE id = 2 AND code LIKE 'c#' ESCAPE '#';
UPDATE pe_codes SET code = 'x' WHERE id = 2 AND code_bytes LIKE '\x635c'::bytea;
DROP TABLE pe_codes;
-- Templates that only show.
SELECT to_number('XIV', 'RN');
SELECT to_number('12', '99RN');
SELECT to_number('1e3', '9.9EEEE');
SELECT to_char(14, 'RN'), to_number('14', '99');

-- The escape as it is: nothing of an empty text is left for it, whatever stands before.
SELECT c, c LIKE 'a\', c LIKE 'a\\', c ILIKE 'b\', c LIKE '_b\', c LIKE '%\_\' FROM (VALUES (''), ('a'), ('éb')) v(c);
SELECT c LIKE '\', c NOT LIKE '\', c ILIKE '\', c LIKE '%\', c LIKE '_\' FROM (VALUES ('')) v(c);
SELECT c LIKE '_\' FROM (VALUES ('é')) v(c);
SELECT c LIKE '_\' FROM (VALUES ('éa')) v(c);
SELECT c ILIKE 'É%\' FROM (VALUES ('éa')) v(c);
SELECT c NOT LIKE '\' FROM (VALUES ('a')) v(c);
