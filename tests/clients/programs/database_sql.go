// What programs on lib/pq and pgx do, a line for each step: database/sql, batches, COPY, notifications.
package main
import ("context";"database/sql";"fmt";"os";"time";"github.com/jackc/pgx/v4";"github.com/jackc/pgx/v4/pgxpool";_ "github.com/jackc/pgx/v4/stdlib";"github.com/lib/pq")
func step(n string,f func()(interface{},error)){ defer func(){if r:=recover();r!=nil{fmt.Println(n,"PANIC",r)}}(); r,e:=f(); if e!=nil{ if q,ok:=e.(*pq.Error);ok{fmt.Println(n,"ERR",q.Code,q.Message,q.Detail,q.Constraint,q.Table)}else{fmt.Println(n,"ERR",e)}}else{fmt.Printf("%s %v\n",n,r)}}
func main(){
 port:=os.Getenv("PGPORT"); dbn:=os.Getenv("PGDATABASE"); url:="postgres://"+os.Getenv("PGUSER")+"@127.0.0.1:"+port+"/"+dbn+"?sslmode=disable"; ctx:=context.Background()
 for _,drv:=range []string{"postgres","pgx"}{
  db,err:=sql.Open(drv,url); if err!=nil{panic(err)}
  ex:=func(q string,a ...interface{})(interface{},error){r,e:=db.Exec(q,a...);if e!=nil{return nil,e};n,_:=r.RowsAffected();return n,nil}
  step("create",func()(interface{},error){return ex("drop table if exists t; create table t(id serial primary key, n numeric(8,2), s varchar(9) unique, a text[], j jsonb, at timestamptz, b bytea, f float8, bo bool, u uuid, d date)")})
  step("ins",func()(interface{},error){var id int; e:=db.QueryRow("insert into t(n,s,j,at,b,f,bo) values ($1,$2,$3,$4,$5,$6,$7) returning id","1.5","x",`{"a":1}`,time.Unix(0,0),[]byte{0,255},2.5,true).Scan(&id);return id,e})
  step("arr",func()(interface{},error){return ex("update t set a=$1 where id=1",pq.Array([]string{"x","y,\"z"}))})
  step("sel",func()(interface{},error){var n,s,j string;var a []string;var at time.Time;var b []byte;var u sql.NullString; e:=db.QueryRow("select n,s,a,j,at,b,u from t where id=$1",1).Scan(&n,&s,pq.Array(&a),&j,&at,&b,&u);return []interface{}{n,s,a,j,at.UTC(),b,u},e})
  step("types",func()(interface{},error){r,e:=db.Query("select * from t");if e!=nil{return nil,e};defer r.Close();ct,_:=r.ColumnTypes();o:="";for _,c:=range ct{p,s,ok:=c.DecimalSize();l,lo:=c.Length();o+=fmt.Sprint(c.Name()," ",c.DatabaseTypeName()," ",c.ScanType()," ",p,s,ok,l,lo,";")};return o,nil})
  step("tx",func()(interface{},error){tx,e:=db.BeginTx(ctx,&sql.TxOptions{Isolation:sql.LevelSerializable,ReadOnly:true});if e!=nil{return nil,e};_,e=tx.Exec("delete from t");tx.Rollback();return nil,e})
  step("prep",func()(interface{},error){s,e:=db.Prepare("select count(*) from t where s = any($1)");if e!=nil{return nil,e};var c int;e=s.QueryRow(pq.Array([]string{"x"})).Scan(&c);return c,e})
  step("dup",func()(interface{},error){return ex("insert into t(s) values ('x')")})
  step("long",func()(interface{},error){return ex("insert into t(s) values ($1)","12345678901")})
  step("multi",func()(interface{},error){r,e:=db.Query("select 1; select 2");if e!=nil{return nil,e};defer r.Close();o:=[]int{};for{for r.Next(){var i int;r.Scan(&i);o=append(o,i)};if !r.NextResultSet(){break}};return o,r.Err()})
  step("cancel",func()(interface{},error){c,f:=context.WithTimeout(ctx,200*time.Millisecond);defer f();_,e:=db.ExecContext(c,"select pg_sleep(20)");var x int;e2:=db.QueryRow("select 7").Scan(&x);return []interface{}{e!=nil,x,e2},nil})
  step("interval",func()(interface{},error){var x string;e:=db.QueryRow("select ($1 || ' days')::interval","3").Scan(&x);return x,e})
  if drv=="postgres" { step("copyin",func()(interface{},error){tx,_:=db.Begin();s,e:=tx.Prepare(pq.CopyIn("t","s","n","b"));if e!=nil{return nil,e};for i:=0;i<500;i++{if _,e=s.Exec(fmt.Sprint("c",i),i,[]byte{1});e!=nil{return nil,e}};if _,e=s.Exec();e!=nil{return nil,e};s.Close();e=tx.Commit();var c int;db.QueryRow("select count(*) from t").Scan(&c);return c,e})
   step("listen",func()(interface{},error){l:=pq.NewListener(url,time.Second,time.Second,nil);if e:=l.Listen("ch");e!=nil{return nil,e};db.Exec("notify ch,'x'");select{case n:=<-l.Notify:l.Close();return n.Extra,nil;case <-time.After(5*time.Second):return "none",nil}})
  }
  db.Close()
 }
 c,err:=pgx.Connect(ctx,url); if err!=nil{panic(err)}
 step("batch",func()(interface{},error){b:=&pgx.Batch{};b.Queue("select $1::int+1",4);b.Queue("insert into t(s) values ($1)","bb");b.Queue("select s from t where s=$1","bb");r:=c.SendBatch(ctx,b);defer r.Close();var i int;var s string;e:=r.QueryRow().Scan(&i);if e!=nil{return nil,e};ct,e:=r.Exec();if e!=nil{return nil,e};e=r.QueryRow().Scan(&s);return fmt.Sprint(i,ct,s),e})
 step("batcherr",func()(interface{},error){b:=&pgx.Batch{};b.Queue("insert into t(s) values ('b2')");b.Queue("insert into t(s) values ('b2')");r:=c.SendBatch(ctx,b);_,e1:=r.Exec();_,e2:=r.Exec();r.Close();var n int;c.QueryRow(ctx,"select count(*) from t where s='b2'").Scan(&n);return fmt.Sprint(e1,e2,n),nil})
 step("copyfrom",func()(interface{},error){rows:=[][]interface{}{};for i:=0;i<3000;i++{rows=append(rows,[]interface{}{fmt.Sprint("k",i),float64(i)/2,[]string{"a"},map[string]int{"x":i},time.Unix(int64(i),0),i%2==0})};n,e:=c.CopyFrom(ctx,pgx.Identifier{"t"},[]string{"s","f","a","j","at","bo"},pgx.CopyFromRows(rows));return n,e})
 step("copyfrom dup",func()(interface{},error){n,e:=c.CopyFrom(ctx,pgx.Identifier{"t"},[]string{"s"},pgx.CopyFromRows([][]interface{}{{"k1"}}));return n,e})
 step("scan",func()(interface{},error){var n float64;var a []string;var j map[string]int;var at time.Time;var bo bool;e:=c.QueryRow(ctx,"select f,a,j,at,bo from t where s='k7'").Scan(&n,&a,&j,&at,&bo);return fmt.Sprint(n,a,j,at.UTC(),bo),e})
 for _,m:=range []pgx.QuerySimpleProtocol{true,false}{step("simple",func()(interface{},error){var x string;var y []int32;e:=c.QueryRow(ctx,"select $1::text, $2::int[]",m,"a'\\b",[]int32{1,2}).Scan(&x,&y);return fmt.Sprint(x,y),e})}
 step("notify",func()(interface{},error){c.Exec(ctx,"listen pc");c.Exec(ctx,"notify pc,'z'");t,f:=context.WithTimeout(ctx,5*time.Second);defer f();n,e:=c.WaitForNotification(t);if e!=nil{return nil,e};return n.Channel+n.Payload,nil})
 step("func",func()(interface{},error){return nil,c.BeginTxFunc(ctx,pgx.TxOptions{IsoLevel:pgx.RepeatableRead,DeferrableMode:pgx.Deferrable},func(t pgx.Tx)error{n,e:=t.Begin(ctx);if e!=nil{return e};n.Exec(ctx,"select 1/0");n.Rollback(ctx);_,e=t.Exec(ctx,"update t set n=1 where id=1");return e})})
 step("desc",func()(interface{},error){p,e:=c.Prepare(ctx,"p1","select id,s,a from t where id=$1 and j @> $2");if e!=nil{return nil,e};o:="";for _,f:=range p.Fields{o+=fmt.Sprint(string(f.Name),f.DataTypeOID,f.DataTypeSize,f.TypeModifier,";")};return fmt.Sprint(p.ParamOIDs,o),nil})
 c.Close(ctx)
 p,_:=pgxpool.Connect(ctx,url); step("pool",func()(interface{},error){s:=0;for i:=0;i<20;i++{var x int;if e:=p.QueryRow(ctx,"select $1::int",i).Scan(&x);e!=nil{return nil,e};s+=x};return s,nil}); p.Close()
}
