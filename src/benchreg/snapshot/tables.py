"""The tables of a snapshot.

`figures` has one row for each figure, and one for each record without any, in the order in which
rows are shown; `details` what is read of the rows of an answer alone. `parts` says which parts a
figure ran on or could have run on, by its model too, for most questions name both; `facets` holds
each condition once.
"""

from benchreg.snapshot.columns import COLUMNS

SCHEMA = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, said TEXT) WITHOUT ROWID;
CREATE TABLE folders (path BLOB, stamp INTEGER);
CREATE TABLE entries (kind TEXT, id TEXT, name TEXT, family TEXT, vendor TEXT, aliases TEXT);
CREATE TABLE metrics (id TEXT PRIMARY KEY, better TEXT, definition TEXT) WITHOUT ROWID;
CREATE TABLE files (id INTEGER PRIMARY KEY, path BLOB, stamp INTEGER);
CREATE TABLE catalogue (path BLOB, stamp INTEGER);
CREATE TABLE facets (id INTEGER PRIMARY KEY, key TEXT, state TEXT, value TEXT, why TEXT);
CREATE TABLE names (name TEXT, record TEXT, figure TEXT);
CREATE TABLE figures (
  id INTEGER PRIMARY KEY, {", ".join(f'"{name}" {kind}' for name, (kind, _) in COLUMNS.items())}
);
CREATE TABLE details (
  id INTEGER PRIMARY KEY, file INTEGER, version TEXT, words TEXT, shown TEXT, facets TEXT,
  scopes TEXT, source_name TEXT
);
CREATE TABLE parts (
  part TEXT, model TEXT, figure INTEGER, PRIMARY KEY (part, model, figure)
) WITHOUT ROWID;
"""
INDEXES = """
CREATE INDEX by_model ON figures (model);
CREATE INDEX by_record ON figures (record);
CREATE INDEX by_name ON names (name);
"""
