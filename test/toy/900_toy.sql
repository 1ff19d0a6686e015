-- 900_toy.sql - the table of the toy room (test/toy/toy.c).

CREATE TABLE jars (
    scope  INT  NOT NULL REFERENCES scopes (number),
    id     TEXT NOT NULL,
    rev    INT  NOT NULL CHECK (rev >= 1),
    count  INT  NOT NULL,
    note   TEXT,
    PRIMARY KEY (scope, id)
) STRICT;
CREATE INDEX jars_rev ON jars (scope, rev, id);
