import { expect } from 'chai'
import { chatModes } from './chat-types.ts'
import { Instructions, schemaForm } from './create-chat.ts'
import { buildInstructions, compactSchema } from './instructions.ts'
import type { PromptFacts } from './instructions.ts'

const everything = [
  'run_indexer_sql',
  'run_evm_sql',
  'run_chain_script',
  'script_check',
  'search_docs',
  'evm_rpc',
  'evm_call',
  'fetch_api',
  'web_search',
  'createChart',
  'loadSkill',
]
const table = (name: string): string =>
  `-- What ${name} holds.\nCREATE TABLE ${name} (\n  height bigint NOT NULL, -- The comment of ${name}.\n  name text\n);\n-- PRIMARY KEY (height)`

const facts: PromptFacts = {
  network: 'mainnet',
  tools: everything,
  missing: [],
  form: 'full',
  fetchHosts: ['api.example'],
  linkHosts: ['developers.flow.com'],
  today: '2026-11-22',
  texts: new Map([
    ['schema://indexer-ddl', table('app.things')],
    ['schema://evm-explorer-ddl', table('blocks')],
    ['schema://docs', 'Values are wei.\n\n## Examples\n\n### How many?'],
    ['schema://script-reference', '# Cadence scripts\n\nForm.\n\n## Examples\n\nLong.'],
  ]),
  skills: [{ name: 'cadence', description: 'The language.\n# Not a heading' }],
}

const headings = (text: string): string[] => [...text.matchAll(/^# (.*)$/gm)].map(([, title]) => title ?? '')

describe('chat model instructions', () => {
  it('include all available sections, with the changing ones last', () => {
    const text = buildInstructions(facts)
    expect(headings(text)).to.deep.equal([
      'Tools',
      'Answers',
      'Untrusted data',
      'SQL on the indexer (run_indexer_sql)',
      'SQL on the EVM explorer (run_evm_sql)',
      'Cadence',
      'EVM by JSON-RPC',
      'Skills',
      'Tables of the indexer',
      'Tables of the EVM explorer',
      'Notes on the EVM explorer',
      'Cadence scripts',
      'Now',
    ])
    expect(text).to.include('CREATE TABLE app.things (').and.include('-- The comment of app.things.')
    expect(text).to.include('- cadence: The language. # Not a heading')
    expect(text).to.include('Values are wei.').and.not.include('How many?')
    expect(text.slice(text.indexOf('# Now'))).to.equal(
      [
        '# Now\n',
        '- Today is 2026-11-22 (UTC). Relative ranges such as "last week" are counted from today; the data may end earlier.',
        '- The chain is Flow mainnet.',
      ].join('\n'),
    )
    const tomorrow = buildInstructions({
      ...facts,
      today: '2026-11-23',
      missing: [{ source: 'the server for the EVM', reason: 'it does not respond' }],
    })
    expect(tomorrow.slice(0, tomorrow.indexOf('# Now'))).to.equal(text.slice(0, text.indexOf('# Now')))
    expect(tomorrow).to.include('- Not available now: the server for the EVM (it does not respond). Say so')
  })

  it('omit unavailable tools', () => {
    for (const tool of everything) {
      const text = buildInstructions({ ...facts, tools: everything.filter((name) => name !== tool), skills: [] })
      expect(text, tool).not.to.include(tool)
      for (const other of ['evm_getLogs', 'get_doc', 'script_hover']) expect(text, other).not.to.include(other)
    }
    expect(headings(buildInstructions({ ...facts, tools: ['createChart'] }))).to.deep.equal([
      'Tools',
      'Answers',
      'Untrusted data',
      'Now',
    ])
  })

  it('state the rules', () => {
    const text = buildInstructions(facts)
    for (const words of [
      'Act instead of explaining',
      'Never make up a number',
      '中文',
      '```sql block',
      'thousands separators',
      'Times are UTC',
      'Always end with an answer in words',
      'untrusted data',
      'Never build a URL',
      'fetch_api can call only these hosts: api.example.',
      'Link only to developers.flow.com',
      'Never ask the user for a private key',
      'LIMIT 20',
    ])
      expect(text, words).to.include(words)
    expect(buildInstructions({ ...facts, linkHosts: [] })).to.include('Write no links.')
    expect(buildInstructions({ ...facts, network: undefined })).to.include('The network is not known yet.')
  })

  it('use the short form when required: one line per table and no examples', () => {
    const text = buildInstructions({ ...facts, form: 'compact' })
    expect(text)
      .to.include('\napp.things (height int8, name text) key (height) -- What app.things holds.\n')
      .and.not.include('CREATE TABLE')
    expect(text).not.to.include('Long.')
  })

  it('stay within the size limit for any number of tables', () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, i) => table(`app.table_${i}`)).join('\n\n')
    const reported = (count: number): string =>
      buildInstructions({ ...facts, texts: new Map([['schema://indexer-ddl', many(count)]]) })
    expect(reported(500)).to.include('CREATE TABLE app.table_499 (')
    expect(reported(1000)).to.include('app.table_499 (height int8, name text)').and.not.include('CREATE TABLE')
    expect(reported(20_000).length).to.be.below(90_000)
    expect(reported(20_000)).to.include('-- More tables exist; this list is truncated.')
  })

  it('state that the tables could not be read', () => {
    expect(buildInstructions({ ...facts, texts: new Map() })).to.include('The schema is not available now')
  })

  it('are cached and rebuilt when an input changes', () => {
    let made = 0
    const instructions = new Instructions((given) => `${++made} ${buildInstructions(given)}`)
    const text = instructions.of(facts)
    expect(instructions.of({ ...facts, texts: new Map(facts.texts) })).to.equal(text)
    expect(made).to.equal(1)
    const changes: readonly Partial<PromptFacts>[] = [
      { network: 'testnet' },
      { tools: ['createChart'] },
      { missing: [{ source: 'x', reason: 'y' }] },
      { texts: new Map([['schema://indexer-ddl', 'x']]) },
      { skills: [] },
      { form: 'compact' },
      { fetchHosts: [] },
      { linkHosts: [] },
      { today: '2026-11-23' },
    ]
    const others = new Set(changes.map((change) => instructions.of({ ...facts, ...change })))
    expect(others.size).to.equal(changes.length)
    expect(others.has(text)).to.equal(false)
    expect(instructions.of(facts)).to.equal(text)
    for (let i = 0; i < 20; i++) instructions.of({ ...facts, today: `2026-12-${i}` })
    expect(instructions.of(facts)).not.to.equal(text)
  })

  it('include full tables only for models that read them at once', () => {
    expect(chatModes.map((mode) => schemaForm({ provider: 'anthropic' }, mode))).to.deep.equal([
      'compact',
      'full',
      'full',
    ])
    expect(chatModes.map((mode) => schemaForm({ provider: 'openai-compatible' }, mode))).to.deep.equal([
      'compact',
      'compact',
      'full',
    ])
  })
})

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

describe('short table list', () => {
  it('shows name, short types, key and description of a table on one line', () => {
    expect(compactSchema(ddl).split('\n')).to.deep.equal([
      'raw.blocks (height int8, "timestamp" timestamptz, kinds int4[], name text, ratio float8) key (height) -- Blocks of the chain, one row each. About 1,200 rows.',
      'raw.events (payload jsonb)',
    ])
  })

  it('is empty for a text without tables', () => {
    expect(compactSchema('-- There is no database here.\n')).to.equal('')
    expect(compactSchema('')).to.equal('')
  })

  it('includes tables without comments and their keys', () => {
    expect(compactSchema('CREATE TABLE a.b (\n  c text\n);\n-- PRIMARY KEY (c)')).to.equal('a.b (c text) key (c)')
  })
})
