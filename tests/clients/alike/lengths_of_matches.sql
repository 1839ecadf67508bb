-- How much a match takes, where some quantifiers are lazy and some greedy: the whole is what its first quantified atom is.
SELECT substring('foobar' from '(o+?)(b|r)?'), regexp_match('xyz', '(x??y*)+'), regexp_match('aaab', '(a*?)+b?'), substring('aaaa', '(?:a{1,2}?)+'), substring('aaaa', '(?:a{1,2}?){2}'), substring('aaaa', '(?:a+?a*)'), substring('aaaa','a*a+?'), substring('aaaa','(?:a|b+?)a*');
SELECT regexp_match('aaabbb', 'a*?b*'), regexp_match('aaabbb', 'a*b*?'), regexp_match('aaabbb', '(a*?)(b*)'), regexp_match('aaabbb', '(a*)(b*?)'), regexp_match('aaabbb', '(a*b*?)+'), regexp_match('aaabbb', '(a|ab)(bb|b)*?');
SELECT regexp_match('abcd', 'a(b*?)(c*)d?'), regexp_match('foo123bar', '(\w+?)(\d*)(\w*)'), regexp_split_to_array('a,b;c', '[,;]+?'), regexp_replace('<b>x</b><i>y</i>', '<(.+?)>.*</\1>', '[\1]', 'g');
SELECT regexp_match('abc01234xyz', '(?:(.*?)(\d+)(.*)){1,1}'), regexp_match('abc01234xyz', '(.*)(\d+?)(.*)'), regexp_match('abc01234xyz', '(.*?)(\d+)(.*)');
SELECT regexp_replace('foobarbaz', 'b(..*?)(z|r)', 'X', 'g'), regexp_replace('aXbXc', '(X+)(b*?)', '[\1\2]', 'g'), regexp_split_to_array('one  two three', '\s+(t*?)'), regexp_count('aaaa', '(a+)(a*?)'), regexp_instr('xaaab', '(a+)(b*?)');
SELECT array_agg(m) FROM regexp_matches('abab', '(a*)(b*?)', 'g') m;
SELECT array_agg(m) FROM regexp_matches('abab', '(a*?)(b*)', 'g') m;
SELECT array_agg(m) FROM regexp_matches('key=val;k2=v2', '(\w+?)=(\w*)', 'g') m;
SELECT array_agg(m) FROM regexp_matches('key=val;k2=v2', '(\w+)=(\w*?)', 'g') m;
SELECT array_agg(m) FROM regexp_matches('<a href="x">y</a><a href="z">w</a>', '<a href="(.*?)">(.*)</a>', 'g') m;
SELECT array_agg(m) FROM regexp_matches('<a href="x">y</a><a href="z">w</a>', '<a href="(.*)">(.*?)</a>', 'g') m;
SELECT array_agg(m) FROM regexp_matches('<a href="x">y</a><a href="z">w</a>', '<a href="([^"]+)">(.*?)</a>', 'g') m;
SELECT array_agg(m) FROM regexp_matches('<a href="x">y</a>', '(?:<(a) )?href="(.*?)"(.*)', 'g') m;
SELECT regexp_match('2024-01-02', '(\d+)-(\d+?)-?(\d*)'), regexp_match('aXbXc', '^(.*?)X(.*)$'), regexp_match('aXbXc', '^(.*)X(.*?)$'), regexp_match('aXbXc', '(.*)X(.*?)');
SELECT 'xabcabc' ~ '^x(abc)*?$', substring('xabcabc', 'x(abc)*?'), substring('xabcabc', 'x(abc)*'), substring('xabcabc', 'x(?:abc)*?'), substring('xabcabc', 'x*(?:abc)*?');
SELECT substring('aaaabbbb', '(?:a+?|b)+'), substring('aaaabbbb', '(?:a+?|b)+?'), substring('aaaabbbb', '(?:a+?b*){2,3}?'), regexp_match('aaa', '(a{2,3}?)(a*)'), regexp_match('aaaa', '(a{2})(a*?)'), regexp_match('aaaa', '(a{2}?)(a*)');
