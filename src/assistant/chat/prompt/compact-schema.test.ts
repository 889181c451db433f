import { expect } from 'chai'
import { compactSchema } from './compact-schema.ts'

const ddl = `-- Blocks of the chain, one row each.
-- About 1,200 rows.
CREATE TABLE raw.blocks (
  height bigint NOT NULL, -- Block height, as in CREATE TABLE x (
  "timestamp" timestamp with time zone NOT NULL, -- Time; UTC.
  kinds integer[],
  name character varying(20), -- With -- dashes.
  ratio double precision -- Last, without comma.
);
-- PRIMARY KEY (height)
-- index: btree ("timestamp", height)

-- raw.events is a view with these columns:
CREATE TABLE raw.events (
  payload jsonb
);`

describe('tables in short', () => {
  it('have names, short types, the key and what they hold, on one line', () => {
    expect(compactSchema(ddl).split('\n')).to.deep.equal([
      'raw.blocks (height int8, "timestamp" timestamptz, kinds int4[], name text, ratio float8) key (height) -- Blocks of the chain, one row each. About 1,200 rows.',
      'raw.events (payload jsonb)',
    ])
  })

  it('of a text that is none are none', () => {
    expect(compactSchema('-- There is no database here.\n')).to.equal('')
    expect(compactSchema('')).to.equal('')
  })

  it('keep a table without comments, and its key', () => {
    expect(compactSchema('CREATE TABLE a.b (\n  c text\n);\n-- PRIMARY KEY (c)')).to.equal('a.b (c text) key (c)')
  })
})
