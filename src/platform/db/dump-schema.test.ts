import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { dumpSchema } from './dump-schema.ts'

const committed = join(import.meta.dirname, '../../../migrations/schema.txt')

describe('dumpSchema', () => {
  let db: TestDatabase
  before(async () => {
    db = await createEmptyDatabase()
  })
  after(() => db.drop())

  it('includes every kind of object that a migration can create', async () => {
    const role = `reader_${process.pid}`
    await db.pool.query(`
      CREATE ROLE ${role};
      CREATE SCHEMA s; COMMENT ON SCHEMA s IS 'a schema'; GRANT USAGE ON SCHEMA s TO ${role};
      CREATE EXTENSION pg_trgm;
      CREATE TYPE s.mood AS ENUM ('good', 'bad');
      CREATE DOMAIN s.amount AS numeric CHECK (VALUE >= 0);
      CREATE SEQUENCE s.numbers START 5;
      CREATE FUNCTION s.twice(n int) RETURNS int LANGUAGE sql IMMUTABLE RETURN n * 2;
      CREATE TABLE s.parent (height int8 NOT NULL, body text DEFAULT 'x' COLLATE "POSIX", twice int8 GENERATED ALWAYS AS (height * 2) STORED,
        PRIMARY KEY (height)) PARTITION BY RANGE (height);
      COMMENT ON COLUMN s.parent.body IS 'two
        lines';
      CREATE TABLE s.parent_p0 PARTITION OF s.parent FOR VALUES FROM (0) TO (10);
      CREATE INDEX parent_body ON s.parent USING gin (body public.gin_trgm_ops);
      CREATE TABLE s.child (id int8 GENERATED ALWAYS AS IDENTITY, mood s.mood, height int8 REFERENCES s.parent,
        CONSTRAINT sane CHECK (height > 1)) WITH (fillfactor = 70);
      CREATE VIEW s.seen AS SELECT mood FROM s.child; GRANT SELECT ON s.seen TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT SELECT ON TABLES TO ${role}`)
    const dump = await dumpSchema(db.pool)
    await db.pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)

    const lines = dump.replaceAll(role, 'reader').split('\n')
    expect(lines).to.include.members([
      'extension pg_trgm',
      'schema s -- a schema',
      '  grant USAGE to reader',
      "type s.mood enum ('good', 'bad')",
      'domain s.amount numeric CHECK ((VALUE >= (0)::numeric))',
      'sequence s.numbers bigint start 5 increment 1',
      'CREATE OR REPLACE FUNCTION s.twice(n integer)',
      'table s.parent partition by RANGE (height)',
      '  height bigint not null',
      `  body text collate "POSIX" default 'x'::text -- two lines`,
      '  twice bigint generated always as ((height * 2)) stored',
      '  constraint parent_pkey PRIMARY KEY (height)',
      '  CREATE INDEX parent_body ON ONLY s.parent USING gin (body public.gin_trgm_ops)',
      'table s.child with (fillfactor=70)',
      '  id bigint not null generated always as identity',
      '  constraint child_height_fkey FOREIGN KEY (height) REFERENCES s.parent(height)',
      '  constraint sane CHECK ((height > 1))',
      'view s.seen',
      '  grant SELECT to reader',
      'default grant SELECT on new tables in s to reader',
    ])
    expect(dump).not.to.include('parent_p0')
    expect(dump).not.to.include('similarity')
  })

  it('matches the committed dump for a database with all migrations', async () => {
    const migrated = await createTestDatabase()
    try {
      const actual = await dumpSchema(migrated.pool)
      const expected = await readFile(committed, 'utf8')
      expect(actual, 'migrations/schema.txt is old: run npm run docs').to.equal(expected)
    } finally {
      await migrated.drop()
    }
  })
})
