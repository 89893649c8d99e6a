"""Makes the databases beside this script with SQLite itself: `python3 tests/import/sqlite/make.py`.

memory.db has its last changes only in memory.db-wal, as after a crash of its writer; plain.db has no log. Both hold the tables of jkz
with two projects, a row that spans several pages, and enough rows for a tree of pages.
"""
import pathlib
import shutil
import sqlite3
import tempfile

here = pathlib.Path(__file__).parent
schema = """
create table patterns (
    id integer primary key autoincrement,
    text text not null, -- as it was first said
    text_hash text not null, role text not null, project_id text,
    success_count integer default 1, ignore_count integer default 0, ignore_weight_score real,
    last_used integer, "lifecycle_state" text, embedding blob, was_validated integer default 0,
    unique (text_hash, role)
);
create table deliberations (id integer primary key, role text, response text, timestamp text, issue integer, project_id text);
create index by_role on patterns (role);
"""


def fill(database):
    database.executescript(schema)
    for number in range(90):
        project = "shop" if number % 3 else "desk"
        database.execute(
            "insert into patterns (text, text_hash, role, project_id, success_count, ignore_count, ignore_weight_score, last_used,"
            " lifecycle_state, embedding, was_validated) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (f"Rule {number} of project {project}: never trust input number {number}", f"h{number}", "judge", project, number % 7 + 1,
             number % 3, 1.5 * (number % 3), 1777000000000 + number, "candidate", bytes(range(16)), number % 2),
        )
    database.execute("alter table patterns add column category text")
    database.execute("update patterns set category = 'rule', success_count = 70000 where id = 1")
    long = "Words. " * 900 + "\n\n## Accumulated Patterns\n- A saying at the end of a very long report\n"
    for project, issue, response in (("shop", 10, long), ("desk", 11, "## Accumulated Patterns\n- A saying of the desk that is short\n")):
        database.execute("insert into deliberations (role, response, timestamp, issue, project_id) values ('lens', ?, '2026-05-01 10:00:00', ?, ?)",
                         (response, issue, project))
    database.commit()


with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    database = sqlite3.connect(place / "plain.db")
    database.execute("pragma page_size = 1024")
    fill(database)
    database.close()
    shutil.copy(place / "plain.db", here / "plain.db")
    database = sqlite3.connect(place / "memory.db")
    database.execute("pragma page_size = 1024")
    database.execute("pragma journal_mode = wal")
    database.execute("pragma wal_autocheckpoint = 0")
    fill(database)
    database.execute("pragma wal_checkpoint(truncate)")
    database.execute("update patterns set success_count = 99 where id = 2")
    database.execute("delete from patterns where id = 3")
    database.commit()
    database.execute("begin")
    database.execute("update patterns set success_count = 100 where id = 2")
    for name in ("memory.db", "memory.db-wal"):
        shutil.copy(place / name, here / name)
    database.rollback()
    database.close()
