"""A Django site in one file: models, migrations, and what its ORM asks of a database. Run by `test_django`.

    python django_site.py HOST PORT FOLDER

Prints one JSON object with what it found.
"""

from __future__ import annotations

import datetime
import json
import sys
import uuid
from pathlib import Path

import django
from django.conf import settings

host, port, folder = sys.argv[1:4]
package = Path(folder) / "shelf"
(package / "migrations").mkdir(parents=True)
(package / "__init__.py").touch()
(package / "migrations" / "__init__.py").touch()
sys.path.insert(0, folder)
settings.configure(
    SECRET_KEY="only for a test",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "shelf"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "tidewire",
            "USER": "tidewire",
            "HOST": host,
            "PORT": port,
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
)
(package / "models.py").write_text(
    """
from django.db import models

class Author(models.Model):
    name = models.CharField(max_length=100, unique=True)
    born = models.DateField(null=True)
    bio = models.TextField(blank=True, default="")
    class Meta:
        indexes = [models.Index(fields=["born", "name"], name="author_born_name")]

class Tag(models.Model):
    label = models.SlugField()

class Book(models.Model):
    title = models.CharField(max_length=200, db_index=True)
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="books")
    price = models.DecimalField(max_digits=8, decimal_places=2)
    published = models.DateTimeField(auto_now_add=True)
    meta = models.JSONField(default=dict)
    tags = models.ManyToManyField(Tag)
    active = models.BooleanField(default=True)
    uid = models.UUIDField(null=True)
    length = models.DurationField(null=True)
    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(price__gte=0), name="price_positive"),
            models.UniqueConstraint(fields=["title", "author"], name="title_of_author"),
        ]
"""
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import IntegrityError, connection, transaction  # noqa: E402
from django.db.models import (  # noqa: E402
    Avg,
    Case,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Subquery,
    Sum,
    When,
    Window,
)
from django.db.models.functions import RowNumber, TruncMonth  # noqa: E402

call_command("makemigrations", "shelf", verbosity=0)
call_command("migrate", verbosity=0)

from shelf.models import Author, Book, Tag  # type: ignore[import-not-found]  # noqa: E402

found: dict[str, object] = {}
ann = Author.objects.create(name="Ann", born=datetime.date(1980, 1, 2))
book = Book.objects.create(
    title="T", author=ann, price="9.99", meta={"k": [1, {"z": 2}]}, uid=uuid.UUID(int=1),
    length=datetime.timedelta(hours=2),
)  # fmt: skip
book.tags.add(Tag.objects.create(label="x"))
Book.objects.bulk_create([Book(title=f"t{i}", author=ann, price=i) for i in range(20)])
books = Book.objects
sums = books.aggregate(s=Sum("price"), c=Count("id"), a=Avg("price"))
found["aggregate"] = [str(sums["s"]), sums["c"], str(round(sums["a"], 4))]
found["annotate"] = [
    [name, n, str(top)]
    for name, n, top in Author.objects.annotate(n=Count("books"), top=Max("books__price")).values_list(
        "name", "n", "top"
    )
]
found["filters"] = [
    books.filter(meta__k__1__z=2).count(),
    books.filter(meta__contains={"k": [1]}).count(),
    books.filter(meta__has_key="k").count(),
    books.filter(title__icontains="T1").count(),
    books.filter(title__iregex="^t1").count(),
    books.filter(published__year__gte=2000).count(),
    books.filter(length__gt=datetime.timedelta(hours=1)).count(),
    books.filter(tags__label="x").count(),
]
found["months"] = books.annotate(m=TruncMonth("published")).values("m").annotate(c=Count("id")).count()
found["update"] = books.filter(title="T").update(price=F("price") + 1)
found["prefetch"] = [len(a.books.all()) for a in Author.objects.prefetch_related("books")]
try:
    with transaction.atomic():
        books.create(title="T", author=ann, price=1)
except IntegrityError as e:
    found["violation"] = str(e).splitlines()[0]
found["get_or_create"] = [Author.objects.get_or_create(name="Bob")[1] for _ in range(2)]
newest = books.filter(author=OuterRef("pk")).order_by("-price").values("title")[:1]
found["subquery"] = list(
    Author.objects.order_by("id").annotate(t=Subquery(newest)).values_list("t", flat=True)
)
found["exists"] = Author.objects.filter(Exists(books.filter(author=OuterRef("pk")))).count()
found["case"] = books.aggregate(x=Count(Case(When(price__gt=5, then=1))))["x"]
ranked = books.annotate(r=Window(RowNumber(), order_by=F("price").desc()))
found["window"] = [list(r) for r in ranked.values_list("title", "r")[:2]]
found["union"] = books.filter(price=1).union(books.filter(price=2)).count()
found["distinct on"] = len(books.order_by("author", "-price").distinct("author"))
with transaction.atomic():
    found["for update"] = len(books.select_for_update(of=("self",), nowait=True).filter(title="T"))
found["iterator"] = sum(1 for _ in books.iterator(chunk_size=5))
Author.objects.bulk_create(
    [Author(name="Bob", bio="new")], update_conflicts=True, unique_fields=["name"], update_fields=["bio"]
)
Author.objects.bulk_create([Author(name="Bob")], ignore_conflicts=True)
found["upsert"] = Author.objects.get(name="Bob").bio
with connection.cursor() as cursor:
    inspect = connection.introspection
    found["constraints"] = sorted(
        name for name in inspect.get_constraints(cursor, "shelf_book") if "shelf_book" not in name
    )
    found["relations"] = {k: list(v[:2]) for k, v in inspect.get_relations(cursor, "shelf_book").items()}
with open(Path(folder) / "inspected.py", "w") as out:
    call_command("inspectdb", "shelf_book", "shelf_author", stdout=out)
found["inspectdb"] = (Path(folder) / "inspected.py").read_text().count("models.Model")
found["deleted"] = ann.delete()[0]
call_command("flush", interactive=False, verbosity=0)
call_command("migrate", "shelf", "zero", verbosity=0)
print(json.dumps(found))
