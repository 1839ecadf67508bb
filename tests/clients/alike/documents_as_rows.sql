-- XMLTABLE: documents as rows.
create table xmldata(data xml);
insert into xmldata values('<ROWS>
<ROW id="1"><COUNTRY_ID>AU</COUNTRY_ID><COUNTRY_NAME>Australia</COUNTRY_NAME><REGION_ID>3</REGION_ID></ROW>
<ROW id="2"><COUNTRY_ID>CN</COUNTRY_ID><COUNTRY_NAME>China</COUNTRY_NAME><REGION_ID>3</REGION_ID></ROW>
<ROW id="5"><COUNTRY_ID>JP</COUNTRY_ID><COUNTRY_NAME>Japan</COUNTRY_NAME><REGION_ID>3</REGION_ID><PREMIER_NAME>Sinzo Abe</PREMIER_NAME><SIZE unit="sq_mi">145935</SIZE></ROW>
<ROW id="6"><COUNTRY_ID>SG</COUNTRY_ID><COUNTRY_NAME>Singapore &amp; co</COUNTRY_NAME><REGION_ID>3</REGION_ID><SIZE unit="km">791</SIZE></ROW>
</ROWS>');
select xmltable.* from (select data from xmldata) x, lateral xmltable('/ROWS/ROW' passing data columns id int path '@id', _id for ordinality, country_name text path 'COUNTRY_NAME/text()' not null, country_id text path 'COUNTRY_ID', region_id int path 'REGION_ID', size float path 'SIZE', unit text path 'SIZE/@unit', premier_name text path 'PREMIER_NAME' default 'not specified');
create view xv as select t.* from xmldata, xmltable('/ROWS/ROW' passing data columns id int path '@id', n text path 'COUNTRY_NAME', p text path 'PREMIER_NAME' default 'none') as t(a, b, c);
select * from xv order by a; select count(*), max(b) from xv where a > 1;
select * from xmltable('/a/b' passing '<a><b x="1">one<c>two</c></b><b/></a>' columns b xml path '.', c xml path 'c', d text path 'c', e text path '@x', "B" int path 'count(c)', t bool path 'c = "two"', n numeric(5,2) path '@x', i int path 'c = "two"', s text path 'string(c)', y text path 'concat("<", @x, ">")', z xml path 'concat("<", @x, ">")');
select * from xmltable(xmlnamespaces('http://x.y' as zz), '/zz:rows/zz:row' passing '<rows xmlns="http://x.y"><row><a>10</a></row></rows>' columns a int path 'zz:a');
select * from xmltable(xmlnamespaces('http://x.y' as "Zz"), '/Zz:rows/Zz:row' passing by ref '<rows xmlns="http://x.y"><row><a>10</a></row></rows>' by value columns a int path 'Zz:a');
select * from xmltable(xmlnamespaces(default 'http://x.y'), '/rows/row' passing '<rows xmlns="http://x.y"><row><a>10</a></row></rows>' columns a int path 'a');
select * from xmltable('/a' passing null columns a int); select * from xmltable('/nothing' passing '<a/>' columns a int);
select * from xmltable('/rows' passing '<rows><filter>f</filter></rows>' columns filter text, "Other" text default upper('dflt'), d date default '2020-01-02' not null);
select * from xmltable('/r' passing '<r><a>1</a><a>2</a></r>' columns a text path 'a');
select * from xmltable('/r' passing '<r><a>1</a><a>2</a></r>' columns a xml path 'a');
select * from xmltable('/r' passing '<r><a/></r>' columns a text path 'a' not null, b text path 'b' not null);
select * from xmltable('/r' passing '<r><a>x</a></r>' columns a int path 'a');
select * from xmltable('' passing '<r/>' columns a int path 'a'); select * from xmltable('/r' passing '<r/>' columns a int path '');
select * from xmltable('/r' passing '<r/>' columns a for ordinality, b for ordinality); 
select * from xmltable('/r' passing '<r/>' columns a int, a text); 
select * from xmltable('/r' passing '<r/>' columns a int path 'a' path 'b'); select * from xmltable('/r' passing '<r/>' columns a int default 1 default 2); select * from xmltable('/r' passing '<r/>' columns a int not null null);
select * from xmltable('/r' passing '<r><a>1</a></r>'); select * from xmltable('/r' columns a int);
select g, t.* from generate_series(1,2) g, xmltable('/r/*[$1 or position() = 1]' passing '<r/>' columns a int) t;
prepare p as select * from xmltable($1 passing $2 columns a int path $3); execute p('/r/b', '<r><b><c>7</c></b></r>', 'c');
select * from xmltable('/r/@*' passing '<r x="1"/>' columns a int path 'a') limit 0;
select * from xmltable('*' passing '<e>pre<!--c1--><?pi arg?><![CDATA[&ent1]]><n2>&amp;deep</n2>post</e>' columns x text path '/e/n2', y xml path '/e/n2', z text path 'n2/text()');
select * from xmltable('.' passing '<foo/>' columns a text default 'x' , b boolean path 'true()', c boolean default true);
create table xt as select * from xmltable('/r/b' passing '<r><b>1</b></r>' columns b numeric(6,2) path '.', t timestamp default '2020-01-01'); select * from xt; \d xt
