-- 900_toy.sql - the table of the toy room (test/toy/toy.c).

CREATE TABLE $schema.jars (
    scope  uuid NOT NULL,
    id     text COLLATE "C" NOT NULL,
    rev    bigint NOT NULL CHECK (rev >= 1),
    count  bigint NOT NULL,
    note   text COLLATE "C",
    PRIMARY KEY (scope, id)
) /*partitioned*/;
CREATE INDEX jars_rev ON $schema.jars (scope, rev, id);
