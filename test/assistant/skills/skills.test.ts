import { expect } from 'chai'
import { keccak } from 'hash-wasm'
import type { QueryTarget } from '../../../src/assistant/query/query-service.ts'
import { readSkills, shippedSkills } from '../../../src/assistant/read-skills.ts'
import type { Skill } from '../../../src/assistant/read-skills.ts'
import { inNetwork } from '../../../src/flow/core-contracts.ts'
import { networks } from '../../../src/flow/network.ts'
import { cadenceParser } from '../../support/cadence-parser.ts'
import { evaluatedWorld } from '../query/eval/evaluated-world.ts'
import type { EvaluatedWorld } from '../query/eval/evaluated-world.ts'

const names = ['cadence', 'evm-explorer-schema', 'indexer-schema', 'staking-questions', 'token-questions']

/** Rows of tables that enrichment workers fill; none runs here. */
const enrichmentRows = [
  `insert into app.network_state (subject, epoch, epoch_phase, target_end_time, is_staking_enabled, total_staked, staked_by_role, minimum_stake_by_role,
     reward_cut, total_supply, staked_node_count, asked_at)
   values ('network', 2, 0, now(), true, 250700, '{"1": "250700.00000000"}', '{"1": "250000.00000000"}', 0.08, 1731342204.5, 1, now())`,
  `insert into app.prices (token, currency, price_time, price, symbol)
   values ('A.0ae53cb6e3f42a79.FlowToken', 'USD', now(), 0.4, 'FLOW'), ('A.0ae53cb6e3f42a79.FlowToken', 'USD', now() - interval '1 hour', 0.5, 'FLOW')`,
]
const readsEnrichment = /\bapp\.(?:network_state|prices)\b/

/** These are only planned: the database has no such transaction. */
const isOfAnExample = (sql: string): boolean => /^-- an example of an? (?:id|address|hash)$/m.test(sql)

describe('bundled skills', () => {
  let skills: readonly Skill[]

  before(async () => {
    const reported: object[] = []
    skills = (await readSkills(shippedSkills, { warn: (fields: object) => void reported.push(fields) })).all
    expect(reported).to.deep.equal([])
  })

  it('include five, each small enough for a conversation', () => {
    expect(skills.map(({ name }) => name)).to.deep.equal(names)
    for (const { name, content } of skills) expect(Buffer.byteLength(content), name).to.be.within(8000, 25_000)
  })

  it('have addresses filled in on every network', () => {
    for (const network of networks) {
      for (const { name, content } of skills) {
        const left = /(?:0x|A\.)\{\w+\}|\{network\}|^[ \t]*import "\w+"$/m.exec(inNetwork(content, network))
        expect(left?.[0], `${name} on ${network}`).to.equal(undefined)
      }
    }
  })

  it('reference only skills, tools and resources that exist', () => {
    for (const { name, content } of skills) {
      for (const [, word = ''] of content.matchAll(/[Ss]kills? `([^`]+)`/g)) expect(names, name).to.include(word)
      for (const [uri] of content.matchAll(/schema:\/\/[a-z-]+/g)) {
        expect(
          ['schema://indexer-ddl', 'schema://evm-explorer-ddl', 'schema://docs', 'schema://script-reference'],
          name,
        ).to.include(uri)
      }
    }
  })

  it('contain Cadence that parses', async () => {
    const parse = await cadenceParser()
    const programs = skills.flatMap(({ name, content }) => blocks(content, 'cadence').map((code) => ({ name, code })))
    expect(programs.length).to.be.greaterThan(10)
    for (const { name, code } of programs) {
      const { error } = parse(inNetwork(code, 'mainnet'))
      expect(error, `${name}: ${code}`).to.equal(undefined)
    }
  })
})

describe('topics and selectors of the EVM explorer skill', () => {
  it('are the hashes of their signatures', async () => {
    const { all } = await readSkills(shippedSkills, { warn: () => undefined })
    const rows = [
      ...(all
        .find(({ name }) => name === 'evm-explorer-schema')
        ?.content.matchAll(/^\| `(\w+\([^`]*\))`[^|]*\| `([0-9a-f]+)` \|$/gm) ?? []),
    ]
    expect(rows.length).to.be.greaterThan(15)
    for (const [, signature = '', reported = ''] of rows) {
      const hash = await keccak(signature, 256)
      expect(reported, signature).to.equal(reported.length === 8 ? hash.slice(0, 8) : hash)
    }
  })
})

describe('skill statements in a database', () => {
  let world: EvaluatedWorld
  let skills: readonly Skill[]

  before(async () => {
    world = await evaluatedWorld()
    skills = (await readSkills(shippedSkills, { warn: () => undefined })).all
  })

  for (const name of names.filter((each) => each !== 'cadence')) {
    it(`pass the gate in ${name}, can be planned, and return values in every column`, async () => {
      const target: QueryTarget = name === 'evm-explorer-schema' ? 'evm' : 'indexer'
      const databases = world.evaluation.databases.get(target)
      if (databases === undefined) throw new Error(`There is no database of the target ${target}`)
      const statements = blocks(skills.find((skill) => skill.name === name)?.content ?? '', 'sql')
      expect(statements.length).to.be.greaterThan(8)
      const troubles: string[] = []
      for (const sql of statements) {
        const statement = inNetwork(sql, 'emulator')
        try {
          await databases.known.check(statement)
          const { rows, columns } = await databases.known.run(statement)
          await databases.other.run(statement)
          const titles = columns.map((column) => column.name)
          if (titles.some((title, i) => title === '?column?' || titles.indexOf(title) !== i))
            troubles.push(`${titles.join(', ')}:\n${sql}`)
          if (isOfAnExample(statement)) continue
          const found = readsEnrichment.test(statement) ? await rowsWithEnrichment(world, statement) : rows
          const empty = titles.filter((_, i) => found.every((row) => row[i] === null))
          if (empty.length > 0) troubles.push(`nothing in ${empty.join(', ')} of ${found.length} rows:\n${sql}`)
        } catch (error) {
          troubles.push(`${String(error)}:\n${sql}`)
        }
      }
      expect(troubles.join('\n')).to.equal('')
    })
  }

  it('pass the gate when they are inline in a sentence', async () => {
    const databases = world.evaluation.databases.get('indexer')
    const found = skills.flatMap(({ content }) =>
      [...content.matchAll(/(?<!`)`(select [^`]+)`(?!`)/g)].map(([, sql = '']) => sql),
    )
    expect(found.length).to.be.greaterThan(3)
    for (const sql of found) await databases?.known.check(inNetwork(sql, 'emulator'))
  })
})

/**
 * Runs a statement with enrichment rows in a transaction that is rolled back, since other tests
 * share the database.
 */
async function rowsWithEnrichment({ indexer }: EvaluatedWorld, sql: string): Promise<readonly (readonly unknown[])[]> {
  const client = await indexer.pool.connect()
  try {
    await client.query('begin')
    for (const insert of enrichmentRows) await client.query(insert)
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.query('rollback')
    client.release()
  }
}

function blocks(markdown: string, language: string): readonly string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  )
}
