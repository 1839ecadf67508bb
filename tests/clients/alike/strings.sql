select 'first line' ' - next line';
select regexp_like('abc', 'a.c', 'g'); select regexp_split_to_array('a,b', ',', 'g'); select regexp_match('abc', 'b', 'g');
select 'é' is normalized, 'é' is nfd normalized, U&'e\0301' is not nfc normalized, null::text is nfkd normalized;
select decode('zz', 'hex'), 1; select decode('123', 'hex'); select decode('A!==', 'base64'); select decode('AQ', 'base64'); select decode(E' 12 34\n', 'hex'), decode('AQ==', 'base64'), decode('a\\b\001', 'escape'); select encode('a', 'nosuch');
select 'abcd' like 'abc\';
select 'a' like 'a' escape 'ab';
