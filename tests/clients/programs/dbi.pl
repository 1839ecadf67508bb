# What a program on DBD::Pg does, a line for each step: its catalog methods, COPY, asynchronous queries.
use strict; use warnings; use DBI; use DBD::Pg qw(:pg_types :async); use JSON::PP; my $J=JSON::PP->new->canonical->allow_nonref->allow_blessed;
sub step { my($n,$f)=@_; my $r=eval{$f->()}; my $e=$@; if($e){$e=~s/ at \S+ line.*//s; print "$n ERR ",($DBI::state//''),' ',(split /\n/,$e)[0],"\n"} else {print "$n ",$J->encode($r),"\n"} }
my $d=DBI->connect("dbi:Pg:host=127.0.0.1;port=$ENV{PGPORT};dbname=$ENV{PGDATABASE}",$ENV{PGUSER},'',{RaiseError=>1,PrintError=>0,AutoCommit=>1});
step create=>sub{$d->do($_) for ("create type mood as enum('a','b')","create table p(a int, b text, primary key(b,a))","create table t(id serial primary key, n numeric(10,2) default 1.5, t varchar(20) not null, b boolean default true, j jsonb, a int[], y bytea, m mood default 'a', d timestamptz default now(), c char(3), x int, z text, u interval, bt bit(4), tm time(3), unique(t,n), check (n > 0), foreign key (z,x) references p(b,a) on delete cascade on update set null)","create index it on t (lower(t), n desc) where n > 1","create index ig on t using gin (a)","comment on table t is 'the t'","comment on column t.n is 'the n'","create view v as select id,t from t","create table \"Q t\"(\"I d\" int references t)","create schema s2","create table s2.t(k int unique)"); 1};
step ins=>sub{my $s=$d->prepare('insert into t(t,j,a,y,b) values (?,?,?,?,?) returning id');$s->bind_param(4,"\0\xff",{pg_type=>PG_BYTEA});$s->execute("it's",'{"a":1}',[1,2],"\0\xff",1);$s->fetchall_arrayref};
step last=>sub{[$d->last_insert_id(undef,undef,'t',undef)]};
step array=>sub{$d->selectall_arrayref('select a, array[array[1,2],array[3,4]], array[null,\'x"y\'] from t')};
step named=>sub{my $s=$d->prepare('select :x::int, :y::text');$s->bind_param(':x',3);$s->bind_param(':y','q');$s->execute;$s->fetchrow_arrayref};
step dollar=>sub{my $s=$d->prepare('select $1::int, $2::text, $1::int+1');$s->execute(3,'q');$s->fetchrow_arrayref};
step ques=>sub{my $s=$d->prepare(q{select id from t where j \? ?});$s->execute('a');$s->fetchall_arrayref};
step sthattr=>sub{my $s=$d->prepare('select id,n,t,b,j,a,y,m,d,c,u,bt,tm, 1.5::float8 as f from t');$s->execute;[map{my $k=$_;[$k,$s->{$k}]}qw(NAME TYPE PRECISION SCALE NULLABLE NUM_OF_FIELDS pg_type pg_current_row)]};
step params=>sub{my $s=$d->prepare('select ?::int, ?::text[]',{pg_prepare_now=>1});$s->execute(1,['a','b,c']);[$s->fetchrow_arrayref,$s->{NUM_OF_PARAMS}]};
for my $t (['','public','t','TABLE'],[undef,undef,'T%','TABLE,VIEW'],['%','',''],['','','','%'],[undef,'pg_catalog','pg_cl%','SYSTEM TABLE']) { step table_info=>sub{my $s=$d->table_info(@$t);$s->fetchall_arrayref} }
for my $t (['','public','t','%'],[undef,undef,'Q t',undef],[undef,'s2','%','%'],['','public','v','%']) { step column_info=>sub{my $s=$d->column_info(@$t);my $r=$s->fetchall_arrayref({});[map{delete $_->{pg_enum_values} if 0;$_}@$r]} }
for my $t ('t','p','Q t') { step primary_key_info=>sub{my $s=$d->primary_key_info(undef,'public',$t);$s?$s->fetchall_arrayref({}):0}; step primary_key=>sub{[$d->primary_key(undef,undef,$t)]}; step pkx=>sub{my $s=$d->primary_key_info('','',$t,{pg_onerow=>2});$s?$s->fetchall_arrayref({}):0};
step fkout=>sub{my $s=$d->foreign_key_info(undef,undef,undef,undef,undef,$t);$s?$s->fetchall_arrayref({}):0}; step fkin=>sub{my $s=$d->foreign_key_info(undef,undef,$t,undef,undef,undef);$s?$s->fetchall_arrayref({}):0};
step stat=>sub{my $s=$d->statistics_info(undef,'public',$t,0,0);$s?[map{$_->{PAGES}=$_->{CARDINALITY}=0;$_}@{$s->fetchall_arrayref({})}]:0}; step statu=>sub{my $s=$d->statistics_info(undef,undef,$t,1,1);$s?scalar @{$s->fetchall_arrayref({})}:0}; }
step type_info=>sub{[scalar $d->type_info_all()?1:0]};
step tables=>sub{[sort $d->tables('','public','','TABLE')]};
step tx=>sub{$d->begin_work;$d->pg_savepoint('a');$d->do('delete from t');$d->pg_rollback_to('a');my $p=$d->ping;$d->pg_release('a');$d->commit;[$p,$d->selectrow_array('select count(*) from t')]};
step aborted=>sub{$d->begin_work;eval{$d->do('select 1/0')};my $s=$d->state;my $p=$d->ping;my $x=$d->{pg_errorlevel};eval{$d->do('select 1')};my $s2=$d->state;$d->rollback;[$s,$p,$s2]};
step err=>sub{eval{$d->do("insert into t(t,n) values ('q',-1)")};[$d->state,map{$d->pg_error_field($_)}qw(severity state message_primary message_hint schema table column constraint datatype)]};
step err2=>sub{eval{$d->do("select * from nope where x")};[$d->state,map{$d->pg_error_field($_)}qw(severity state message_primary statement_position)]};
step exarr=>sub{my $s=$d->prepare('insert into p values (?,?)');my @st;[$s->execute_array({ArrayTupleStatus=>\@st},[1,2,3],['a','b','c']),\@st]};
step rows=>sub{$d->do('update p set a=a+10')};
step copyout=>sub{$d->do('copy p to stdout');my @r;my $l;push @r,$l while $d->pg_getcopydata($l)>=0;[sort @r]};
step copyin=>sub{$d->do('copy p from stdin');$d->pg_putcopydata("7\tz\n8\ty\n");$d->pg_putcopyend;$d->selectall_arrayref('select * from p order by 1')};
step copyerr=>sub{$d->do('copy p from stdin');$d->pg_putcopydata("x\tz\n");$d->pg_putcopyend;};
step async=>sub{my $s=$d->prepare('select pg_sleep(0.2), 5',{pg_async=>PG_ASYNC});$s->execute;my $a=$d->pg_ready?1:0;my $n=$d->pg_result;[$n,($s->fetchrow_array)[1]]};
step cancel=>sub{my $s=$d->prepare('select pg_sleep(20)',{pg_async=>PG_ASYNC});$s->execute;my $r=$d->pg_cancel;[$r,$d->state]};
step notify=>sub{$d->do('listen ch');$d->do("notify ch,'pl'");my $n=$d->pg_notifies;[$n->[0],$n->[2]]};
step cursor=>sub{$d->begin_work;$d->do('declare c cursor for select x from generate_series(1,5) x');my $s=$d->prepare('fetch 2 from c');my @o;while($s->execute>0){push @o,$s->fetchall_arrayref}$d->commit;\@o};
step quote=>sub{[$d->quote("a'b\\"),$d->quote_identifier('a"b'),$d->quote("\0a",{pg_type=>PG_BYTEA}),$d->quote([1,2])]};
step info=>sub{[map{my $x=$d->get_info($_);$x}(17,29,30,41,46,47,81,90,114)]};
step attrs=>sub{[$d->{pg_db},$d->{pg_user},$d->{pg_host},$d->{pg_enable_utf8},$d->{pg_standard_conforming_strings},$d->{pg_protocol},$d->{Name}=~/dbname/?1:0]};
step lob=>sub{$d->begin_work;my $o=$d->pg_lo_creat($d->{pg_INV_WRITE});my $f=$d->pg_lo_open($o,$d->{pg_INV_WRITE});my $b;my @r=($d->pg_lo_write($f,'perl' x 2000,8000),$d->pg_lo_lseek($f,7996,0),$d->pg_lo_read($f,$b,10),$b,$d->pg_lo_tell($f),$d->pg_lo_truncate($f,5),$d->pg_lo_close($f),$d->pg_lo_unlink($o));$d->commit;\@r};
step drop=>sub{$d->do('drop schema s2 cascade');$d->do('drop table "Q t"');$d->do('drop view v');$d->do('drop table t');$d->do('drop table p');$d->do('drop type mood');1};
