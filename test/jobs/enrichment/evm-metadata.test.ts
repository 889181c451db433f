import { expect } from 'chai'
import { evmMetadataWorker } from '../../../jobs/enrichment/evm-metadata-worker.ts'
import { callInput } from '../../../src/flow/evm/contract-results.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { EnrichmentWorld } from '../../support/enrichment-world.ts'
import { cdc, refuse, texts } from '../../support/script-node.ts'
import type { Cdc, ScriptCall } from '../../support/script-node.ts'

const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0')

function abiText(text: string): string {
  const bytes = Buffer.from(text)
  return word(32) + word(bytes.length) + bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')
}

const names = {
  name: callInput('name()'),
  symbol: callInput('symbol()'),
  decimals: callInput('decimals()'),
  supply: callInput('totalSupply()'),
  erc165: callInput('supportsInterface(bytes4)', 0x01ffc9a7n << 224n),
  none: callInput('supportsInterface(bytes4)', 0xffffffffn << 224n),
  erc721: callInput('supportsInterface(bytes4)', 0x80ac58cdn << 224n),
  erc1155: callInput('supportsInterface(bytes4)', 0xd9b67a26n << 224n),
} as const

const addressOf = (byte: string): string => byte.repeat(20)
const [coin, oldCoin, birds, finds, liar, hostile, gone] = ['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1'].map(addressOf)

/** Results by contract and input; other calls fail. */
const contracts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [coin ?? '']: {
    [names.name]: abiText('Moss Points'),
    [names.symbol]: abiText('MOSS'),
    [names.decimals]: word(6),
    [names.supply]: word(10n ** 30n),
  },
  [oldCoin ?? '']: {
    [names.name]: Buffer.from('Old Coin').toString('hex').padEnd(64, '0'),
    [names.decimals]: word(18),
    [names.supply]: word(0),
  },
  [birds ?? '']: {
    [names.name]: abiText('Birds'),
    [names.erc165]: word(1),
    [names.none]: word(0),
    [names.erc721]: word(1),
    [names.erc1155]: word(0),
    [callInput('tokenURI(uint256)', 7n)]: abiText('ipfs://birds/7'),
  },
  [finds ?? '']: {
    [names.erc165]: word(1),
    [names.none]: word(0),
    [names.erc721]: word(0),
    [names.erc1155]: word(1),
    [callInput('uri(uint256)', 255n)]: abiText('https://finds.example.org/{id}.json'),
    // Too long only with the ids.
    [callInput('uri(uint256)', 256n)]: abiText('{id}'.repeat(200)),
  },
  // Says yes to everything.
  [liar ?? '']: Object.fromEntries(Object.values(names).map((input) => [input, word(1)])),
  [hostile ?? '']: {
    [names.name]: word(32) + word(2n ** 255n),
    [names.symbol]: abiText('\0\u202e<b>'),
    [names.decimals]: word(2n ** 256n - 1n),
    [names.supply]: word(2n ** 256n - 1n),
  },
}

function callResults({ args }: ScriptCall): Cdc {
  const [addresses, inputs] = [texts(args[0]), texts(args[1])]
  return cdc.array(
    addresses.map((address, i) => {
      const result = contracts[address]?.[inputs[i] ?? '']
      return cdc.optional(result === undefined ? null : cdc.string(result))
    }),
  )
}

describe('metadata of EVM contracts', () => {
  let database: TestDatabase
  let world: EnrichmentWorld

  before(async () => {
    database = await createTestDatabase()
    world = await EnrichmentWorld.start(database)
  })
  beforeEach(async () => {
    await database.pool.query(
      'truncate app.evm_tokens, app.evm_token_items, app.evm_token_metadata, app.evm_item_metadata, app.asking_walks',
    )
    world.node.scripts.length = 0
    world.answer({ evm_calls: callResults })
  })
  after(async () => {
    await world.stop()
    await database.drop()
  })

  const addTokens = (...tokens: (string | undefined)[]): Promise<unknown> =>
    database.pool.query('insert into app.evm_tokens select unnest($1::text[]), 20, 1, 1, 1, 0', [tokens])

  it('is decoded, with the standard by ERC-165 or by behaviour', async () => {
    await addTokens(coin, oldCoin, birds, finds, liar, gone)
    await world.run(evmMetadataWorker)
    expect(
      await world.rows(`
        select token, name, symbol, decimals, total_supply::text as supply, standard, status
        from app.evm_token_metadata order by token`),
    ).to.deep.equal([
      {
        token: coin,
        name: 'Moss Points',
        symbol: 'MOSS',
        decimals: 6,
        supply: `1${'0'.repeat(30)}`,
        standard: 20,
        status: 'answered',
      },
      { token: oldCoin, name: 'Old Coin', symbol: null, decimals: 18, supply: '0', standard: 20, status: 'answered' },
      { token: birds, name: 'Birds', symbol: null, decimals: null, supply: null, standard: 721, status: 'answered' },
      { token: finds, name: null, symbol: null, decimals: null, supply: null, standard: 1155, status: 'answered' },
      { token: liar, name: null, symbol: null, decimals: 1, supply: '1', standard: 20, status: 'answered' },
      { token: gone, name: null, symbol: null, decimals: null, supply: null, standard: null, status: 'none' },
    ])
    expect(world.calls('evm_calls')).to.have.lengthOf(1)
  })

  it('ignores hostile results', async () => {
    await addTokens(hostile)
    await world.run(evmMetadataWorker)
    expect(
      await world.rows(
        'select name, symbol, decimals, total_supply::text as supply, standard from app.evm_token_metadata',
      ),
    ).to.deep.equal([
      { name: null, symbol: '\u202e<b>', decimals: null, supply: String(2n ** 256n - 1n), standard: null },
    ])
  })

  it('halves a batch that exceeds a limit of the node, and retries failures later', async () => {
    await addTokens(coin, birds, liar)
    world.answer({
      evm_calls: (call) =>
        texts(call.args[0]).includes(liar ?? '')
          ? refuse('INVALID_ARGUMENT', 'computation exceeds limit')
          : callResults(call),
    })
    await world.run(evmMetadataWorker)
    const statuses = () => world.rows('select token, status, failures from app.evm_token_metadata order by token')
    expect(await statuses()).to.deep.equal([
      { token: coin, status: 'answered', failures: 0 },
      { token: birds, status: 'answered', failures: 0 },
      { token: liar, status: 'failed', failures: 1 },
    ])
    await database.pool.query('update app.evm_token_metadata set next_ask_at = now()')
    await world.run(evmMetadataWorker)
    expect((await statuses()).at(-1)).to.deep.equal({ token: liar, status: 'failed', failures: 2 })
  })

  it('has the URI of each item', async () => {
    await database.pool.query(
      `insert into app.evm_token_items values ($1, 721, 7, $3, 1), ($1, 721, 8, $3, 1), ($2, 1155, 255, $3, 5), ($2, 1155, 255, $1, 4), ($2, 1155, 256, $1, 1)`,
      [birds, finds, coin],
    )
    await world.run(evmMetadataWorker)
    expect(
      await world.rows(
        'select token, token_id::text as id, token_uri as uri, status from app.evm_item_metadata order by 1, 2',
      ),
    ).to.deep.equal([
      { token: birds, id: '7', uri: 'ipfs://birds/7', status: 'answered' },
      { token: birds, id: '8', uri: null, status: 'none' },
      { token: finds, id: '255', uri: `https://finds.example.org/${word(255)}.json`, status: 'answered' },
      { token: finds, id: '256', uri: null, status: 'none' },
    ])
  })
})
