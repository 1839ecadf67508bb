-- Characters in brackets of regular expressions by POSIX's names.
SELECT 'a' ~ '[[.a.]]', 'b' ~ '[[=a=]]', 'x-y' ~ 'x[[.hyphen.]]y', 'x-y' ~ 'x[[.-.]]y', 'b' ~ '^[[.a.]-[.c.]]$', 'd' ~ '^[[.a.]-[.c.]]$', 'a]' ~ 'a[[.right-square-bracket.]]';
SELECT regexp_replace('a-b c', '[[.-.][.space.]]', '+', 'g'), E'a\tb' ~ 'a[[.tab.]]b', 'a^b' ~ '[[.circumflex.]]', 'é' ~ '[[=é=]]', 'x' ~ '[^[.x.]]', '5' ~ '[[.five.]]';
SELECT 'a' ~ '[[.nonesuch.]]';
SELECT 'a' ~ '[[.a';
SELECT 'a' ~ '[[=ab=]]';
CREATE TABLE named_characters (id int PRIMARY KEY, s text);
INSERT INTO named_characters VALUES (1, 'a-b'), (2, 'a_b');
SELECT id FROM named_characters WHERE s ~ '[[.low-line.]]';
SELECT id, s ~ 'a[[.hyphen.]]' FROM named_characters WHERE id = 1;
SELECT jsonb_object('{a,b}', '{}'), 1;
SELECT json_object('{}', '{a}');
SELECT jsonb_object('{a,b}', '{c}');
SELECT jsonb_object('{}', '{}');
