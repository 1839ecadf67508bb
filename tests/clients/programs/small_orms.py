"""What peewee and Pony do to a database, a line for each answer: `python small_orms.py HOST PORT DATABASE`.

Both make their tables and read them in one transaction; peewee has indexes of parts on JSON, arrays and texts, alters tables
and makes models of what it finds.
"""

from __future__ import annotations

import datetime
import decimal
import sys

from peewee import (
    JOIN,
    SQL,
    CharField,
    DateTimeField,
    DecimalField,
    ForeignKeyField,
    IntegerField,
    IntegrityError,
    ManyToManyField,
    Model,
    fn,
)
from playhouse.migrate import PostgresqlMigrator, migrate
from playhouse.postgres_ext import (
    ArrayField,
    BinaryJSONField,
    IntervalField,
    PostgresqlExtDatabase,
    TSVectorField,
)
from playhouse.reflection import Introspector
from pony.orm import (
    Database,
    Json,
    Optional,
    Required,
    Set,
    StrArray,
    avg,
    count,
    db_session,
    desc,
    group_concat,
    rollback,
    select,
)
from pony.orm import sum as total

HOST, PORT, DATABASE = sys.argv[1], int(sys.argv[2]), sys.argv[3]
MADE = datetime.datetime(2024, 1, 2, 3, 4, 5)


def with_peewee() -> None:
    db = PostgresqlExtDatabase(DATABASE, host=HOST, port=PORT, user="tidewire", register_hstore=False)

    class Base(Model):
        class Meta:
            database = db

    class Writer(Base):
        name = CharField(unique=True, max_length=40)
        age = IntegerField(null=True, index=True)
        data = BinaryJSONField(default={})
        tags = ArrayField(CharField, default=[])
        made = DateTimeField(default=MADE)
        n = DecimalField(10, 2, default=0)

    class Post(Base):
        writer = ForeignKeyField(Writer, backref="posts", on_delete="CASCADE")
        title = CharField()
        words = TSVectorField(null=True)
        lasts = IntervalField(null=True)

        class Meta:
            indexes = ((("writer", "title"), True),)

    class Club(Base):
        name = CharField()
        writers = ManyToManyField(Writer, backref="clubs")

    member = Club.writers.get_through_model()
    with db:  # one transaction, as everything within
        db.create_tables([Writer, Post, Club, member])
        db.create_tables([Writer, Post, Club, member])
        writers = [
            Writer.create(
                name=f"w{i}",
                age=i * 10 or None,
                data={"k": [i, {"z": i}]},
                tags=["a", f"t{i}"],
                n=decimal.Decimal(i) / 3,
            )
            for i in range(4)
        ]
        Post.insert_many(
            {
                "writer": writers[i % 3], "title": f"p{i}", "words": fn.to_tsvector("english", f"running dogs {i}"),
                "lasts": datetime.timedelta(days=i, seconds=5),
            }
            for i in range(7)
        ).execute()  # fmt: skip
        club = Club.create(name="c")
        club.writers.add(writers[:2])
        print([w.name for w in club.writers.order_by(Writer.name)])
        posts = fn.COUNT(Post.id).alias("posts")
        print(
            list(
                Writer.select(Writer.name, posts)
                .join(Post, JOIN.LEFT_OUTER)
                .group_by(Writer.name)
                .order_by(SQL("posts").desc(), Writer.name)
                .tuples()
            )
        )
        for condition in (
            Writer.data.contains({"k": [1]}), Writer.data.has_key("k"), Writer.tags.contains("t1"), Writer.tags.contains_any("t1", "t3"),
            Writer.name.regexp("w[12]"), Writer.made.year == 2024,
        ):  # fmt: skip
            print([w.name for w in Writer.select().where(condition).order_by(Writer.id)])
        print([p.title for p in Post.select().where(Post.words.match("dog & run & !3")).order_by(Post.id)])
        print(
            list(
                Writer.select(Writer.data["k"], Writer.data.path("k", "1", "z")).order_by(Writer.id).tuples()
            )
        )
        print(
            Writer.insert(name="w1", age=99)
            .on_conflict(conflict_target=[Writer.name], preserve=[Writer.age])
            .execute()
        )
        print(Writer.insert(name="w1").on_conflict_ignore().execute())
        changed = Writer.update(age=Writer.age + 1).where(Writer.name << ["w1", "w2"]).returning(Writer)
        print(sorted((w.name, w.age) for w in changed.execute()))
        rank = fn.RANK().over(partition_by=[Post.writer], order_by=[Post.title.desc()])
        print(list(Post.select(Post.title, rank, Post.lasts).order_by(Post.id).tuples()))
        newest = Post.select(Post.writer, fn.MAX(Post.id).alias("m")).group_by(Post.writer).cte("newest")
        print(
            list(
                Writer.select(Writer.name, newest.c.m)
                .join(newest, on=(newest.c.writer_id == Writer.id))
                .with_cte(newest)
                .order_by(Writer.name)
                .tuples()
            )
        )
        try:
            with db.atomic():
                Writer.create(name="w1")
        except IntegrityError as error:
            print(error)
        migrator = PostgresqlMigrator(db)
        migrate(
            migrator.add_column("writer", "extra", CharField(null=True)), migrator.rename_column("writer", "age", "years"),
            migrator.drop_not_null("post", "title"), migrator.add_index("writer", ("extra", "name"), True),
            migrator.drop_column("writer", "tags"), migrator.rename_table("club", "society"),
        )  # fmt: skip
        for table in sorted(db.get_tables()):
            print(
                table,
                db.get_columns(table),
                db.get_indexes(table),
                db.get_foreign_keys(table),
                db.get_primary_keys(table),
            )
        models = Introspector.from_database(db).generate_models()
        print({name: sorted(made._meta.fields) for name, made in sorted(models.items())})
        print(
            Post.delete().where(Post.writer == writers[0]).execute(),
            Post.select().where(Post.title == "p1").count(),
        )
        for table in ("post", "club_writer_through", "society", "writer"):
            db.execute_sql(f"DROP TABLE {table}")


def with_pony() -> None:
    db = Database()

    class Person(db.Entity):
        name = Required(str, unique=True)
        age = Optional(int)
        cars = Set("Car")
        info = Optional(Json)
        tags = Optional(StrArray)
        born = Optional(datetime.date)

    class Car(db.Entity):
        make = Required(str, index=True)
        owner = Required(Person)
        features = Set("Feature")
        price = Optional(int, size=64)

    class SportsCar(Car):
        speed = Optional(int)

    class Feature(db.Entity):
        name = Required(str)
        cars = Set(Car)

    db.bind(provider="postgres", host=HOST, port=PORT, user="tidewire", database=DATABASE)
    db.generate_mapping(create_tables=True)
    with db_session:
        people = [
            Person(
                name=f"p{i}",
                age=i * 7,
                info={"a": {"b": [i]}},
                tags=["x", str(i)],
                born=datetime.date(2000, 1, 1 + i),
            )
            for i in range(5)
        ]
        cars = [Car(make=["a", "b"][i % 2], owner=people[i % 3], price=i * 10**10) for i in range(5)]
        SportsCar(make="z", owner=people[0], speed=300)
        Feature(name="abs", cars=cars[:2])
    with db_session:
        print(list(select((p.name, count(p.cars)) for p in Person).order_by(-2, 1)))
        print(
            select(total(c.price) for c in Car).first(),
            list(select((c.make, avg(c.price), group_concat(c.id, "-")) for c in Car).order_by(1)),
        )
        print(
            list(select(p.name for p in Person if p.info["a"]["b"][0] == 2)),
            list(select(p.name for p in Person if "3" in p.tags)),
        )
        print(
            list(select((p.born.year, p.born.month, count()) for p in Person)),
            [p.name for p in Person.select().order_by(desc(Person.age)).page(2, 2)],
        )
        print([p.name for p in Person.select(lambda p: p.age > 3).for_update().order_by(Person.id)])
        print(
            list(select(f.name for f in Feature for c in f.cars if c.make == "b")),
            [type(c).__name__ for c in Car.select().order_by(Car.id)],
        )
        Person.get(name="p0").delete()
        print(Car.select().count(), Person.select().delete(bulk=False))
        rollback()
    db.drop_all_tables(with_all_data=True)


with_peewee()
with_pony()
