# What an application on Ruby's Sequel does, a line for each step: schemas and their dumps, data sets, models.
require 'sequel'; require 'json'; require 'bigdecimal'
def step(n); r=begin; yield; rescue => e; "ERR #{e.class} #{e.message.lines.first.strip}"; end; puts "#{n} #{r.inspect}"; end
DB=Sequel.connect(adapter:'postgres',host:'127.0.0.1',port:ENV['PGPORT'].to_i,user:ENV['PGUSER'],database:ENV['PGDATABASE'])
Sequel.extension :migration, :pg_array_ops, :pg_json_ops, :pg_range_ops
DB.extension :pg_array,:pg_json,:pg_range,:pg_enum,:pg_inet,:pg_row,:pg_interval,:pg_extended_date_support,:schema_dumper,:pg_loose_count,:constraint_validations rescue puts "ext #{$!.message}"
step('create'){ DB.create_enum(:mood,%w[sad ok]); DB.create_table(:users){ primary_key :id; String :name, null:false, size:40; String :email, unique:true; column :m,:mood,default:'ok'; column :tags,'text[]',default:Sequel.pg_array([],:text); column :j,:jsonb; column :r,:int4range; inet :ip; uuid :u, default:Sequel.function(:gen_random_uuid); Numeric :n,size:[10,2]; DateTime :at,default:Sequel::CURRENT_TIMESTAMP; TrueClass :ok, default:false; column :big,:bigint; File :bin; Date :d; index :name; index [:name,:n],name: :ix2, where:Sequel.lit('n > 0'); index Sequel.function(:lower,:name),name: :ix3; index :tags,type: :gin; constraint(:npos){n>=0}; check{char_length(name)>0} }
 DB.create_table(:posts){ primary_key :id,:type=>:Bignum,:identity=>true; foreign_key :user_id,:users,on_delete: :cascade,on_update: :restrict,deferrable:true; String :title,text:true; unique [:user_id,:title] } ; DB.create_join_table(user_id: :users, post_id: :posts) }
step('ins'){ DB[:users].returning(:id,:m).insert(name:'A',email:'a@x',tags:Sequel.pg_array(%w[x y]),j:Sequel.pg_jsonb({'a'=>[1]}),r:1..4,ip:'10.0.0.1',n:'1.5',bin:Sequel.blob("\0\xff"),d:Date.new(2020,1,2)) }
step('multi'){ DB[:users].returning(:id).multi_insert([{name:'B',email:'b@x'},{name:'C',email:nil}]) }
step('import'){ DB[:posts].import([:user_id,:title],[[1,'p1'],[1,'p2'],[2,'p3']],return: :primary_key) }
step('conflict'){ DB[:users].insert_conflict(target: :email,update:{name:Sequel[:excluded][:name]}).returning(:id,:name).insert(name:'A2',email:'a@x') }
step('ignore'){ DB[:users].insert_ignore.insert(name:'A2',email:'a@x') }
step('all'){ DB[:users].select(:id,:name,:email,:m,:tags,:j,Sequel.cast(:r,:text).as(:r),:ip,:n,:ok,:big,:bin,:d).order(:id).all }
step('join'){ DB[:users].left_join(:posts,user_id: :id).select_group(Sequel[:users][:id]).select_append{count(Sequel[:posts][:id]).as(:n)}.order(:id).all }
step('ops'){ [DB[:users].where(Sequel.pg_array_op(:tags).contains(%w[x])).select_map(:id),DB[:users].where(Sequel.pg_jsonb_op(:j).has_key?('a')).select_map(:id),DB[:users].where(Sequel.pg_range_op(:r).contains(2)).select_map(:id),DB[:users].where(Sequel.ilike(:name,'a%')).get(:id),DB[:users].where(name:/^A/).count] }
step('cte'){ DB[:t].with_recursive(:t,DB.select(Sequel.as(1,:n)),DB[:t].select{n+1}.where{n<3}).map(:n) }
step('window'){ DB[:posts].select(:title){row_number.function.over(partition: :user_id,order: :id).as(:r)}.order(:id).all }
step('update'){ DB[:users].where(id:1).returning(:n).update(n:Sequel[:n]+1) }
step('updfrom'){ DB[:users,:posts].where(Sequel[:posts][:user_id]=>Sequel[:users][:id],title:'p3').update(big:7) }
step('delusing'){ DB[:posts].using(:users).where(Sequel[:users][:id]=>Sequel[:posts][:user_id]).where(Sequel[:users][:name]=>'zz').delete }
step('tx'){ DB.transaction(isolation: :serializable,retry_on:[Sequel::SerializationFailure]){ DB[:users].for_update.where(id:1).first[:id]; DB.transaction(savepoint:true){ DB[:users].delete; raise Sequel::Rollback }; DB[:users].count } }
step('lock'){ DB.transaction{ DB[:users].lock('EXCLUSIVE'); DB[:users].for_share.skip_locked.count rescue $!.message } }
step('errs'){ [[:unique,{name:'z',email:'a@x'}],[:nn,{name:nil}],[:check,{name:'q',n:-1}]].map{|k,h| begin; DB[:users].insert(h); rescue Sequel::Error=>e; [e.class.to_s, DB.send(:database_error_classes) && e.wrapped_exception.result.error_field(PG::PG_DIAG_CONSTRAINT_NAME)]; end } }
step('fk'){ DB[:posts].insert(user_id:99,title:'z') }
step('schema'){ DB.schema(:users).map{|k,v| [k,v.reject{|x,_| x==:oid||x==:callable_default}]} }
step('schema p'){ DB.schema(:posts).map{|k,v| [k,v[:db_type],v[:primary_key],v[:default],v[:auto_increment],v[:allow_null]]} }
step('indexes'){ [DB.indexes(:users),DB.indexes(:posts),DB.indexes(:users,include_partial:true)] }
step('fkl'){ [DB.foreign_key_list(:posts),DB.foreign_key_list(:users,reverse:true)] }
step('checks'){ DB.check_constraints(:users).sort }
step('tables'){ [DB.tables.sort,DB.views,DB.server_version.class,DB.primary_key(:users),DB.primary_key_sequence(:users),DB.table_exists?(:nope)] }
step('enum'){ DB.schema(:users).to_h[:m][:enum_values] }
step('addenum'){ DB.add_enum_value(:mood,'great',after:'sad'); DB.rename_enum_value(:mood,'ok','fine'); DB.rename_enum(:mood,:moods); DB.from(Sequel.function(:enum_range,Sequel.cast(nil,:moods))).get(:enum_range) }
step('alter'){ DB.alter_table(:users){ add_column :x,Integer,default:3; set_column_type :name,String,text:true; set_column_default :x,4; set_column_not_null :x; rename_column :x,:y; drop_index :name; add_unique_constraint [:name,:y],name: :uq; drop_constraint :npos; add_constraint({name: :vv,not_valid:true}){y>0}; validate_constraint :vv; add_foreign_key :pp,:posts,type: :bigint,key: :id } }
step('dump'){ DB.dump_schema_migration(same_db:true) }
step('dump2'){ DB.dump_schema_migration(same_db:false,indexes:true) }
step('view'){ DB.create_view(:v,DB[:users].select(:id,:name)); DB.create_or_replace_view(:v,DB[:users].select(:id,:name,:y)); DB.create_view(:mv,DB[:users].select(:id),materialized:true); DB.refresh_view(:mv); [DB[:v].count,DB.views,DB.views(materialized: true)] }
step('cursor'){ DB[:users].order(:id).use_cursor(rows_per_fetch:2).map(:id) }
step('prep'){ ds=DB[:users].where(id: :$i).select(:name); ds.prepare(:first,:pp); [DB.call(:pp,i:1),DB[:users].where(id: :$i).call(:select,i:2).size] }
step('copy'){ DB.copy_into(:posts,columns:[:user_id,:title],format: :csv,data:["1,c1\n","2,c2\n"]); DB.copy_table(DB[:posts].select(:user_id,:title).order(:id),format: :csv) }
step('listen'){ Thread.new{sleep 0.3;Sequel.connect(DB.opts.merge(max_connections:1)){|d|d.notify(:ch,payload:'hi')}}; DB.listen(:ch,timeout:10){|c,p,m|[c,m]} }
step('comment'){ DB.run("comment on column users.name is 'x''y'"); DB.run('do $$ begin perform 1; end $$') }
step('trunc'){ DB[:posts].truncate(cascade:true,restart:true); DB[:users].truncate(cascade:true) ; DB[:users].count }
step('returning'){ DB[:users].returning.with_sql_insert rescue 0 }
step('explain'){ DB[:users].explain.class }
step('values'){ DB.values([[1,'a'],[2,'b']]).as(:t,[:x,:y]).then{|v| DB.from(v).order(:x).all} }
step('lateral'){ DB[:users].left_join(DB[:posts].where(user_id:Sequel[:users][:id]).limit(1).lateral.as(:p),true).count }
step('mig'){ m=Sequel.migration{change{create_table(:mt){primary_key :id};add_column :mt,:a,String;add_index :mt,:a,concurrently:true rescue 0}}; m.apply(DB,:up); m.apply(DB,:down); DB.table_exists?(:mt)}
class U<Sequel::Model(:users); one_to_many :posts,class:'P',key: :user_id; plugin :validation_helpers; plugin :prepared_statements; plugin :pg_auto_constraint_validations; plugin :auto_validations; end
class P<Sequel::Model(:posts); many_to_one :user,class:'U'; end
step('model'){ u=U.create(name:'M',email:'m@x'); u.add_post(title:'t'); u.update(name:'M2'); x=U.eager(:posts).all.map{|y|[y.name,y.posts.map(&:title)]}; y=U.association_join(:posts).select_map(:title); u2=U.new(name:'N',email:'m@x'); v=u2.save(raise_on_failure:false); [x,y,v,u2.errors] }
step('drop'){ DB.drop_view(:mv,materialized:true); DB.drop_view(:v); DB.drop_table(:posts_users,:posts,cascade:true); DB.drop_table(:users,cascade:true); DB.drop_enum(:moods) }
