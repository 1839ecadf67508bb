"""Big SELECTs on Spark, for the server: `SET execution_engine = 'distributed'`.

    server process                                     worker process (Java, PySpark)
      SparkEngine (engine.py)  --start on first use-->   worker.py: one Spark session
      a connection per query   ==request==============>  answer.py: views over parts, spark.sql(...)
                               <==batches, Arrow=======  partition by partition, in order
      connection closed        ------------------------>  the query's jobs are cancelled

The server itself has no Java in it: it starts the worker when the first query asks for it, and speaks with it over a
socket in a folder of its own (frames.py). A worker that ends takes its queries with it and nothing else; the next
query starts another one. Results are as large as they like: a partition is computed when the one before it has been sent, and
blocks wait in the socket until the client takes them.
"""
