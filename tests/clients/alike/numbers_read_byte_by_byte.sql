-- A place of a number's template takes a byte, and what stands between places a character.
SELECT to_number('1é2', '999'), to_number('1é2', '9999'), to_number('1é2', '9é9'), to_number('1é2', '9"x"9'), to_number('é12', '999'), to_number('é12', '9999');
SELECT to_number('1€2', '9L9'), to_number('1€2', '9TH9'), to_number('1€23', '9L99'), to_number('1,é2', '9,99');
SELECT to_number(s, f) FROM (VALUES ('1é2', '999'), ('12é', '99L'), ('é-12', 'L999'), ('1 é 2', '9 9 9'), ('ü1.5', 'L9.9'), ('ü1.5', '99.9')) t (s, f);
-- A displacement that is none is refused of dates as well.
SELECT to_date('2024-060', 'TZH');
SELECT to_date('2024-060', 'YYYY-TZH');
SELECT to_date('2024 +05', 'YYYY TZH'), to_timestamp('2024 +05:30', 'YYYY TZH:TZM');
SELECT array[]::oidvector;
SELECT array[]::int2vector;
