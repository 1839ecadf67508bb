"""Big SELECTs: the same query over the same snapshot, answered by Spark.

    plan --planner.binding.spark--> Spark SQL       or a refusal that names what Spark would not answer the same way
    tables at the read timestamp --> parts          applied, named, leased so that no blob goes while the job runs
    both --Engine.start--> batches                  Arrow as it comes, cancellable, through the columnar encoders

    abc.py        what an engine is; the one there is lives in `pipeline.spark.selects` and is put here by the assembly
    snapshot.py   a table as of a timestamp, as files and the rows that are in no file yet
    read.py       who goes where: `execution_engine` = columnar, distributed or auto

Nothing of this is touched while `execution_engine` is `columnar`, which it is unless somebody says otherwise.
"""
