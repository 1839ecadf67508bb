-- Regular expressions that are none, though other languages have them; what other engines would say in words of their own.
SELECT 'a' ~ '('; SELECT 'a' ~ '['; SELECT 'a' ~ 'a{2,1}'; SELECT 'a' ~ 'a**'; SELECT 'a' ~ '\'; SELECT 'a' ~ '(?<n>a)'; SELECT 'aa' ~ 'a++'; SELECT 'a' ~ '(?>a)'; SELECT 'a' ~ '(a)?(?(1)b|c)'; SELECT 'a' ~ 'a{300}'; SELECT 'a' ~ '*a'; SELECT 'a' ~ '+';
SELECT 'ab' ~ 'a{,1}b', 'a{,1}b' ~ 'a{,1}b', 'a}' ~ 'a}', 'a' ~ '()', 'a' ~ '|a', 'x' ~ '[]x]', '-' ~ '[a-]', '^' ~ '[\^]', 'a' ~ '[^[:digit:]]', 'a.b' ~ 'a\.b', 'AB' ~ '(?i)ab', 'a b' ~ '(?x)a b', 'ab' ~ '(?x)a b';
SELECT 'a' ~ '(?z)a'; SELECT 'a' ~ 'a{1'; SELECT 'a' ~ '[b-a]'; SELECT 'a' ~ '[[:foo:]]';
SELECT date '2020-01-01' + 2147483647; SELECT timestamp '2020-01-01' + interval '178000000 years';
SELECT chr(55296); SELECT to_timestamp('nan'::float8); SELECT '[2147483647:2147483648]={1,2}'::int[];
SELECT 'a}}' ~ '^a}+$', regexp_replace('{a}}', '}+', '!'), 'a}' ~ 'a{1}}+$', 'a*+' ~ 'a\*+', 'a\' ~ 'a\\+$';
SELECT 'a\' ~ 'a\\*+'; SELECT 'aa' ~ 'a{1,2}+'; SELECT 'aa' ~ '(a)?+'; SELECT format('%*s', '1_0', 'x'); SELECT format('%*s|%*s|', '+3', 'x', ' -2 ', 'y');

-- Which of several alternatives is taken, by what follows.
select substring('abcd' from '(?:a|ab)(?:c|bcd)'), regexp_match('abcd', '(a|ab)(c|bcd)'), regexp_match('abc', '(a|ab)c');
select substring('xyz' from 'x|xyz'), regexp_match('foobar1', '(foo|foobar)[0-9]'), regexp_replace('aab', '(?:a|aa)b?', '-');
select regexp_matches('abab1', '(?:a|ab)+1?', 'g'), regexp_match('abcde', '(?:ab|abc)(?:d|cde)?$'), substring('aaaa' from '(?:a|aa){2}');
select regexp_match('one two', '(one|one two)'), regexp_match('one two', '(?=one)(?:one|one two)'), substring('aXb' from '(?:a|aX)(?:b|Xb)');

-- What a pattern or a flag is refused for, it is from any start.
select regexp_count('a', 'b', 99, '?'); select regexp_count('a', '(', 99); select regexp_instr('a', 'b', 99, 1, 0, '?');
select regexp_substr('a', 'b', 99, 1, '?'); select regexp_replace('a', 'b', 'c', 99, 1, '?'); select regexp_count('a', 'b', 99), regexp_instr('a', '', 99);
