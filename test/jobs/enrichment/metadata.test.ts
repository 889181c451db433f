import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { nftItemMetadataWorker } from '../../../jobs/enrichment/nft-item-metadata-worker.ts'
import { tokenMetadataWorker } from '../../../jobs/enrichment/token-metadata-worker.ts'
import { ensurePartitions } from '../../../src/platform/db/partitions.ts'
import { cdc, refuse, texts } from '../../support/script-node.ts'
import type { Cdc, ScriptCall } from '../../support/script-node.ts'
import { EnrichmentWorld } from '../../support/enrichment-world.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

interface Recorded {
  readonly script: string
  readonly args: readonly Cdc[]
  readonly answer: Cdc
}

/** Results of Cadence's own runtime for the scripts, over contracts of the recording. */
const recorded = JSON.parse(readFileSync(new URL('script-answers.json', import.meta.url), 'utf8')) as Recorded[]

const account = '179b6b1cb6755e31'
const stones = `A.${account}.RiverStones`

/** Returns a recorded value for each key of a list, by position. */
function recordedList(script: string, keyOf: (args: readonly Cdc[], i: number) => string) {
  const known = new Map<string, Cdc>()
  for (const one of recorded.filter((call) => call.script === script)) {
    for (const [i, value] of (one.answer.value as Cdc[]).entries()) known.set(keyOf(one.args, i), value)
  }
  return ({ args }: ScriptCall): Cdc =>
    cdc.array(texts(args[0]).map((_, i) => known.get(keyOf(args, i)) ?? cdc.optional(null)))
}

const byContract = (args: readonly Cdc[], i: number): string => `${texts(args[0])[i]} ${texts(args[1])[i]}`
const byItem = (args: readonly Cdc[], i: number): string =>
  `${texts(args[0])[i]} ${texts(args[3])[i]} ${texts(args[4])[i]}`

describe('metadata from the chain', () => {
  let database: TestDatabase
  let world: EnrichmentWorld

  before(async () => {
    database = await createTestDatabase()
    world = await EnrichmentWorld.start(database)
  })
  beforeEach(async () => {
    await database.pool.query(`
      truncate app.ft_tokens, app.nft_collections, app.ft_token_metadata, app.nft_collection_metadata, app.nft_items, app.asking_walks,
        app.nft_ownership, app.nft_ownership_corrections`)
    world.node.scripts.length = 0
    world.node.refusal = undefined
    world.answer({
      ft_tokens: recordedList('ft_tokens', byContract),
      nft_collections: recordedList('nft_collections', byContract),
      nft_items: recordedList('nft_items', byItem),
    })
  })
  after(async () => {
    await world.stop()
    await database.drop()
  })

  const addTokens = (...tokens: string[]): Promise<unknown> =>
    database.pool.query('insert into app.ft_tokens select unnest($1::text[]), 1', [tokens])

  describe('of tokens and collections', () => {
    it('matches the contracts, as computed by the runtime', async () => {
      await addTokens(`A.${account}.PebbleCoin`, `A.${account}.Nothing`, 'A.e03daebed8ca0615.PebbleCoin')
      await database.pool.query('insert into app.nft_collections values ($1, 1), ($2, 1)', [
        stones,
        `A.${account}.PaperBoats`,
      ])
      await world.run(tokenMetadataWorker)
      const [pebble] = await world.rows(`select * from app.ft_token_metadata where token like '%31.PebbleCoin'`)
      expect(pebble).to.deep.include({
        name: 'PebbleCoin token',
        symbol: 'PEBB',
        decimals: 8,
        description: 'A token of the recorded workload',
        external_url: 'https://example.org/PebbleCoin',
        logo: 'https://example.org/PebbleCoin.svg',
        vault_path: '/storage/PebbleCoinVault',
        receiver_path: '/public/PebbleCoinReceiver',
        balance_path: '/public/PebbleCoinVault',
        total_supply: '1000.00000000',
        socials: { site: 'https://example.org' },
        evm_address: null,
        status: 'answered',
        failures: 0,
        last_error: null,
      })
      expect(
        await world.rows(
          `select status, last_error_code from app.ft_token_metadata where token not like '%31.PebbleCoin'`,
        ),
      ).to.deep.equal([
        { status: 'none', last_error_code: 'no-views' },
        { status: 'none', last_error_code: 'no-views' },
      ])
      expect(
        await world.rows(
          'select token, name, storage_path, public_path, square_image, socials, status from app.nft_collection_metadata order by token',
        ),
      ).to.deep.equal([
        {
          token: `A.${account}.PaperBoats`,
          name: 'PaperBoats',
          storage_path: '/storage/PaperBoatsCollection',
          public_path: '/public/PaperBoatsCollection',
          square_image: 'https://example.org/PaperBoats.png',
          socials: null,
          status: 'answered',
        },
        {
          token: stones,
          name: 'RiverStones',
          storage_path: '/storage/RiverStonesCollection',
          public_path: '/public/RiverStonesCollection',
          square_image: 'https://example.org/RiverStones.png',
          socials: null,
          status: 'answered',
        },
      ])
    })

    it("is empty for a field that a contract does not define, such as FLOW's picture", async () => {
      await addTokens('A.0ae53cb6e3f42a79.FlowToken')
      await world.run(tokenMetadataWorker)
      const [flow] = await world.rows('select * from app.ft_token_metadata')
      expect(flow).to.deep.include({
        symbol: 'FLOW',
        logo: null,
        external_url: 'https://flow.com',
        vault_path: '/storage/flowTokenVault',
        total_supply: '300000.00000000',
      })
    })

    it("has the bridge's contract, and continues without a bridge", async () => {
      await addTokens(`A.${account}.PebbleCoin`)
      world.answer({
        ft_tokens: recordedList('ft_tokens', byContract),
        evm_addresses: ({ args }) =>
          cdc.array(
            texts(args[0]).map((type) =>
              cdc.optional(type === `A.${account}.PebbleCoin.Vault` ? cdc.string('AB'.repeat(20)) : null),
            ),
          ),
      })
      await world.run(tokenMetadataWorker)
      expect(await world.rows('select evm_address from app.ft_token_metadata')).to.deep.equal([
        { evm_address: `0x${'ab'.repeat(20)}` },
      ])
    })

    it('distinguishes several vaults of one contract', async () => {
      await addTokens(`A.${account}.PebbleCoin`, `A.${account}.PebbleCoin.Other`)
      await world.run(tokenMetadataWorker)
      expect(world.calls('ft_tokens').flatMap(({ args }) => texts(args[2]))).to.have.members([
        `A.${account}.PebbleCoin.Vault`,
        `A.${account}.PebbleCoin.Other`,
      ])
    })

    it('is queried in batches, and one failing contract does not block the others', async () => {
      const tokens = Array.from({ length: 30 }, (_, i) => `A.${account}.T${i}`)
      await addTokens(...tokens)
      world.answer({
        ft_tokens: ({ args }) => {
          const names = texts(args[1])
          if (names.includes('T7')) refuse('INVALID_ARGUMENT', 'failed to execute script: panic: T7')
          return recordedList(
            'ft_tokens',
            byContract,
          )({
            script: '',
            height: undefined,
            args: [args[0] as Cdc, cdc.array(names.map(() => cdc.string('PebbleCoin')))],
          })
        },
      })
      await world.run(tokenMetadataWorker)
      expect(
        await world.rows(
          `select token, status, failures, last_error_code from app.ft_token_metadata where status <> 'answered'`,
        ),
      ).to.deep.equal([{ token: `A.${account}.T7`, status: 'failed', failures: 1, last_error_code: 'script-failed' }])
      expect(world.calls('ft_tokens').every(({ args }) => texts(args[0]).length <= 20)).to.equal(true)
      expect(world.calls('ft_tokens').length).to.be.at.most(12)
    })

    it('is queried again: soon after a failure, with backoff up to a week, and rarely for empty results', async () => {
      await addTokens(`A.${account}.PebbleCoin`, `A.${account}.Nothing`, `A.${account}.Bad`)
      const pauses = () =>
        world.rows<{ name: string; seconds: number }>(`
        select split_part(token, '.', 3) as name, extract(epoch from next_ask_at - asked_at)::float8 as seconds from app.ft_token_metadata`)
      const pauseOf = async (name: string): Promise<number> =>
        (await pauses()).find((one) => one.name === name)?.seconds ?? NaN
      world.answer({
        ft_tokens: (call) =>
          texts(call.args[1]).includes('Bad')
            ? refuse('INVALID_ARGUMENT', 'bad')
            : recordedList('ft_tokens', byContract)(call),
      })
      await world.run(tokenMetadataWorker)
      expect(await pauseOf('PebbleCoin')).to.be.within(0.9 * 86_400, 1.1 * 86_400)
      expect(await pauseOf('Nothing')).to.be.within(0.9 * 7 * 86_400, 1.1 * 7 * 86_400)
      const ofOthers = (): number =>
        world.calls('ft_tokens').filter(({ args }) => texts(args[1]).includes('PebbleCoin')).length
      const before = ofOthers()
      for (let failures = 1; failures <= 20; failures++) {
        const expected = Math.min(60 * 2 ** (failures - 1), 7 * 86_400)
        expect(await pauseOf('Bad'), `after ${failures} failures`).to.be.within(0.89 * expected, 1.11 * expected)
        await database.pool.query(`update app.ft_token_metadata set next_ask_at = now() where token like '%.Bad'`)
        await world.run(tokenMetadataWorker)
      }
      expect(ofOthers()).to.equal(before)
    })

    it('is retained when a later query fails, and a success clears the failure', async () => {
      await addTokens(`A.${account}.PebbleCoin`)
      await world.run(tokenMetadataWorker)
      const due = (): Promise<unknown> => database.pool.query('update app.ft_token_metadata set next_ask_at = now()')
      world.answer({})
      await due()
      await world.run(tokenMetadataWorker)
      expect(
        await world.rows('select name, status, failures, last_error_code from app.ft_token_metadata'),
      ).to.deep.equal([{ name: 'PebbleCoin token', status: 'failed', failures: 1, last_error_code: 'script-failed' }])
      world.answer({ ft_tokens: recordedList('ft_tokens', byContract) })
      await due()
      await world.run(tokenMetadataWorker)
      expect(
        await world.rows('select name, status, failures, last_error_code from app.ft_token_metadata'),
      ).to.deep.equal([{ name: 'PebbleCoin token', status: 'answered', failures: 0, last_error_code: null }])
    })
  })

  describe('of items', () => {
    const own = (token: string, id: number, owner: string | null, height = 5): Promise<unknown> =>
      database.pool.query(
        `insert into app.nft_ownership (token, nft_id, nft_uuid, block_height, tx_index, event_index, leg, is_burned, owner) values ($1, $2, 1, $4, 0, 0, 0, $3::text is null, $3)`,
        [token, id, owner, height],
      )

    it('matches the items in storage, as computed by the runtime', async () => {
      await own(stones, 1, `0x${account}`)
      await own(stones, 41, `0x${account}`)
      await own(stones, 999, `0x${account}`)
      await own(stones, 500, null)
      await database.pool.query(
        `insert into app.nft_collection_metadata (token, storage_path, status, next_ask_at) values ($1, '/storage/RiverStonesCollection', 'answered', 'infinity')`,
        [stones],
      )
      await world.run(nftItemMetadataWorker)
      expect(
        await world.rows(
          `select nft_id, name, thumbnail, serial_number, traits, status, last_error_code from app.nft_items order by nft_id`,
        ),
      ).to.deep.equal([
        {
          nft_id: '1',
          name: 'stone 0',
          thumbnail: 'https://example.org/RiverStones/1.png',
          serial_number: '1',
          traits: null,
          status: 'answered',
          last_error_code: null,
        },
        {
          nft_id: '41',
          name: 'elsewhere',
          thumbnail: 'https://example.org/RiverStones/41.png',
          serial_number: '41',
          traits: null,
          status: 'answered',
          last_error_code: null,
        },
        {
          nft_id: '500',
          name: null,
          thumbnail: null,
          serial_number: null,
          traits: null,
          status: 'none',
          last_error_code: 'key-deleted',
        },
        {
          nft_id: '999',
          name: null,
          thumbnail: null,
          serial_number: null,
          traits: null,
          status: 'failed',
          last_error_code: 'not-in-collection',
        },
      ])
      const [call] = world.calls('nft_items')
      expect(texts(call?.args[1])).to.deep.equal([
        'RiverStonesCollection',
        'RiverStonesCollection',
        'RiverStonesCollection',
      ])
      expect(texts(call?.args[2])[0]).to.equal(`${stones}.`)
    })

    it('is not marked as missing while the transfer is known and the owner is not yet derived', async () => {
      await ensurePartitions(database.pool, 'app.nft_transfers', 1000, { from: 0, to: 1000 })
      await database.pool.query(
        `insert into app.nft_transfers (block_height, tx_index, event_index, leg, token, nft_id, nft_uuid, to_address, transfer_type) values (5, 0, 0, 0, $1, 41, 1, $2, 'mint')`,
        [stones, `0x${account}`],
      )
      await world.run(nftItemMetadataWorker)
      expect(await world.rows('select * from app.nft_items')).to.deep.equal([])
      await own(stones, 41, `0x${account}`)
      await world.run(nftItemMetadataWorker)
      expect(await world.rows('select nft_id, status from app.nft_items')).to.deep.equal([
        { nft_id: '41', status: 'answered' },
      ])
    })

    it('is searchable by the words of names and descriptions', async () => {
      await own(stones, 41, `0x${account}`)
      await world.run(nftItemMetadataWorker)
      const found = await world.rows(
        `select nft_id from app.nft_items where search @@ plainto_tsquery('simple', 'ELSEWHERE piece') and status <> 'new'`,
      )
      expect(found).to.deep.equal([{ nft_id: '41' }])
    })

    it('has editions, rarity and traits', async () => {
      await own('A.0000000000000001.X', 7, `0x${account}`)
      const none = cdc.optional(null)
      const some = (value: Cdc): Cdc => cdc.optional(value)
      world.answer({
        nft_items: () =>
          cdc.array([
            some(
              cdc.struct({
                uuid: cdc.uint64(9),
                name: some(cdc.string('seven\0th')),
                description: none,
                thumbnail: some(cdc.string('data:image/svg+xml;utf8,<svg/>')),
                externalUrl: none,
                serialNumber: none,
                editionName: some(cdc.string('first')),
                editionNumber: some(cdc.uint64('18446744073709551615')),
                editionMax: none,
                rarityScore: some(cdc.ufix64('1.50000000')),
                rarityDescription: some(cdc.string('rare')),
                traits: cdc.array([
                  cdc.struct({
                    name: cdc.string('colour'),
                    value: some(cdc.string('red')),
                    displayType: none,
                    rarity: none,
                  }),
                ]),
              }),
            ),
          ]),
      })
      await world.run(nftItemMetadataWorker)
      const [item] = await world.rows('select * from app.nft_items')
      expect(item).to.deep.include({
        name: 'seven\\u0000th',
        edition_name: 'first',
        edition_number: '18446744073709551615',
        edition_max: null,
        rarity_score: '1.50000000',
        rarity_description: 'rare',
        traits: [{ name: 'colour', value: 'red', displayType: null, rarity: null }],
        status: 'answered',
      })
    })

    it('has traits of every kind as text, except values that scripts cannot return', async () => {
      await own(`A.${account}.Odd`, 12, `0x${account}`)
      await world.run(nftItemMetadataWorker)
      const [odd] = await world.rows<{ traits: { name: string; value: string | null; rarity: string | null }[] }>(
        'select * from app.nft_items',
      )
      expect(odd).to.deep.include({
        description: '\\u0000x',
        thumbnail: 'ipfs://Qm/a.png',
        external_url: 'https://example.org/odd',
        edition_name: 'first',
        edition_number: '12',
        rarity_score: '1.50000000',
        rarity_description: 'rare',
      })
      expect(Object.fromEntries(odd?.traits.map(({ name, value }) => [name, value]) ?? [])).to.deep.equal({
        s: 'text',
        n: '7',
        f: '1.50000000',
        b: 'true',
        a: '0x0000000000000001',
        l: 'x, y',
        d: null,
        i: '-3',
        t: 'Int',
        p: '/public/x',
        fn: null,
        opt: null,
        some: 'in',
      })
      expect(odd?.traits.find(({ name }) => name === 'opt')?.rarity).to.equal('legend')
    })

    it('is queried from the reconciled owner if it contradicts the events', async () => {
      await own(stones, 1, '0xe03daebed8ca0615', 5)
      await own(stones, 41, '0xe03daebed8ca0615', 9)
      await database.pool.query(
        `insert into app.nft_ownership_corrections (token, nft_id, owner, checked_height) values ($1, 1, $2, 7), ($1, 41, $2, 7)`,
        [stones, `0x${account}`],
      )
      await world.run(nftItemMetadataWorker)
      expect(texts(world.calls('nft_items')[0]?.args[0])).to.have.members([`0x${account}`, '0xe03daebed8ca0615'])
      expect(await world.rows('select nft_id, status from app.nft_items order by nft_id')).to.deep.equal([
        { nft_id: '1', status: 'answered' },
        { nft_id: '41', status: 'failed' },
      ])
    })

    it('covers all items page by page, and new ones in the next pass', async () => {
      await database.pool.query(
        `
        insert into app.nft_ownership select $1, i, i, 5, 0, i, 0, false, null from generate_series(1, 2300) i`,
        [stones],
      )
      for (let page = 0; page < 3; page++) await world.run(nftItemMetadataWorker)
      expect(await world.rows('select count(*) from app.nft_items')).to.deep.equal([{ count: '2300' }])
      await own(stones, 0, null)
      for (let page = 0; page < 5; page++) await world.run(nftItemMetadataWorker)
      expect(await world.rows('select nft_id from app.nft_items where nft_id = 0')).to.have.lengthOf(1)
      const [walk] = await world.rows<{ laps: string }>(
        `select laps from app.asking_walks where question = 'app.nft_items'`,
      )
      expect(Number(walk?.laps)).to.be.at.least(1)
    })
  })
})
