-- Parts of jsonb that are asked for by constant keys and places, whatever is found there; containment, keys, equality; words of texts.
CREATE TABLE parts_of_documents (id int PRIMARY KEY, d jsonb, body text);
INSERT INTO parts_of_documents VALUES
  (1, '{"a": 1, "tags": ["x", "y"], "in": {"b": "deep", "n": 1.50}}', 'The cats are running'),
  (2, '{"a": 1.0, "tags": [], "in": {"b": null}}', 'a cat-flap at example.com/cat'),
  (3, '{"a": "1", "tags": {"x": 1}, "q\"q": "say \"yes\"\n", "a.b": true}', 'running <b>the cats</b>'),
  (4, '["a", "x", {"a": 1}, [1, 2.00]]', 'nothing of this'),
  (5, '"a"', ''),
  (6, 'null', NULL),
  (7, NULL, 'cat'),
  (8, '{"a": 123456789012345678901234567890, "0": "nought", "tags": ["x", null, true, 5, 5.0]}', 'run, Cat, run ./cats ~cat');
SELECT id, d -> 'a', d ->> 'a', d -> 'in' -> 'n', d -> 'in' ->> 'b', d #> '{in,n}', d #>> '{tags,0}', d #>> '{in,b}' FROM parts_of_documents ORDER BY id;
SELECT id, d -> 0, d ->> -1, d -> 2 -> 'a', d -> 3 ->> 1, d ->> 99, d -> 'tags' -> 0, d -> 'tags' ->> -1 FROM parts_of_documents ORDER BY id;
SELECT id, d ->> 'q"q', d -> 'q"q', d ->> 'a.b', d ->> '0', d ->> '*', d #>> '{0}' FROM parts_of_documents ORDER BY id;
SELECT id FROM parts_of_documents WHERE d ->> 'a' = '1' ORDER BY id;
SELECT id FROM parts_of_documents WHERE d -> 'a' = '1' ORDER BY id;
SELECT id FROM parts_of_documents WHERE d -> 'tags' = '["x", "y"]' OR d = '"a"' OR d <> '["a", "x", {"a": 1.0}, [1.0, 2]]' ORDER BY id;
SELECT id FROM parts_of_documents WHERE d @> '{"a": 1}' ORDER BY id;
SELECT id FROM parts_of_documents WHERE d @> '{"tags": ["x"]}' ORDER BY id;
SELECT id FROM parts_of_documents WHERE d @> '{"tags": [5.00, true]}' ORDER BY id;
SELECT id FROM parts_of_documents WHERE d @> '"a"' ORDER BY id;
SELECT id FROM parts_of_documents WHERE d @> '[[2]]' OR '{"a": 1, "b": 2, "tags": [], "in": {"b": null}}' @> d ORDER BY id;
SELECT id, d ? 'a', d ?| array['x', 'tags'], d ?& array['a', 'x'], d ?| '{}', d ?& '{}' FROM parts_of_documents ORDER BY id;
SELECT id FROM parts_of_documents WHERE to_tsvector('english', body) @@ to_tsquery('english', 'cat & run') ORDER BY id;
SELECT id FROM parts_of_documents WHERE to_tsvector('english', body) @@ to_tsquery('english', '!cat') ORDER BY id;
SELECT id FROM parts_of_documents WHERE to_tsvector('simple', body) @@ plainto_tsquery('simple', 'cat') ORDER BY id;
SELECT id FROM parts_of_documents WHERE to_tsvector('english', body) @@ phraseto_tsquery('english', 'the cats') ORDER BY id;
SELECT id FROM parts_of_documents WHERE to_tsvector('english', body) @@ to_tsquery('english', 'ru:*') ORDER BY id;
SELECT id, to_tsvector('english', body) FROM parts_of_documents ORDER BY id;
DROP TABLE parts_of_documents;
