-- What an index or an exclusion constraint takes from an extension unasked: its classes, which it goes with.
CREATE EXTENSION btree_gist;
CREATE TABLE booked (id int, room int, d daterange, EXCLUDE USING gist (room WITH =, d WITH &&));
CREATE INDEX booked_id ON booked USING gist (id);
CREATE TABLE parts (room int, d daterange) PARTITION BY LIST (room);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1);
ALTER TABLE part_1 ADD EXCLUDE USING gist (room WITH =, d WITH &&);
DROP EXTENSION btree_gist;
DROP EXTENSION btree_gist CASCADE;
\d booked
\d part_1
INSERT INTO booked VALUES (1, 1, '[2020-01-01,2020-02-01)'), (2, 1, '[2020-01-01,2020-02-01)');
CREATE INDEX booked_id ON booked USING gist (id);
