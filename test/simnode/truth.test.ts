import { expect } from 'chai'
import type pg from 'pg'
import { pino } from 'pino'
import { addKey, createAccount, revokeKey, sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import { allEnrichmentWorkers } from '../../jobs/enrichment/index.ts'
import { nftItemMetadataWorker } from '../../jobs/enrichment/nft-item-metadata-worker.ts'
import { workers } from '../../jobs/index.ts'
import { createChainReader } from '../../src/access/create-chain-reader.ts'
import type { EvmParty, EvmToken } from '../../src/explorer/evm/token-schema.ts'
import { callInput } from '../../src/flow/evm/contract-results.ts'
import { cadence } from '../../src/flow/json-cdc/cadence-argument.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { ufix64Text } from '../../src/flow/tokens/ufix64.ts'
import { EnrichmentLoop } from '../../src/farm/enrichment/enrichment-loop.ts'
import { loadScripts, readJson } from '../../src/farm/enrichment/service.ts'
import { compareDerived } from '../../src/farm/rebuild/compare-derived.ts'
import { rebuildDerived } from '../../src/farm/rebuild/rebuild-derived.ts'
import { evmUsers } from '../../simnode/ledger/evm/evm-world.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { externalAccount } from '../../simnode/ledger/world/account.ts'
import { userOfTurn } from '../../simnode/ledger/world/users.ts'
import { allPages } from '../support/all-pages.ts'
import { quiet } from '../support/chain-source.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm, untilDerived } from '../support/farm.ts'
import type { RunningFarm } from '../support/farm.ts'
import {
  compareContracts,
  compareEvmTokens,
  compareHoldings,
  compareItems,
  compareKeys,
  compareScheduled,
  compareStaking,
  compareVaults,
} from '../support/ledger-truth.ts'
import { runApi } from '../support/running-api.ts'
import { NodeClient, passkeyKey, testPayer } from '../support/node-client.ts'
import type { TestSigner, TestTransaction } from '../support/node-client.ts'

const names = workers.map(({ name }) => name)
const domains = {
  compareVaults,
  compareHoldings,
  compareItems,
  compareKeys,
  compareContracts,
  compareStaking,
  compareScheduled,
  compareEvmTokens,
}
/**
 * In the third cycle; the branch leaves in the second, so that a started epoch is rolled back too.
 */
const [head, forkedAfter, end] = [430, 388, 641]
/** From here on external users send transactions, both before and after the fork, across two cycles. */
const begin = 384
const unit = 100_000_000n

describe('the truth of the simulated chain', () => {
  let database: TestDatabase
  let node: LedgerNode
  let client: NodeClient
  const key = passkeyKey()
  const account: TestSigner = { address: `0x${externalAccount(1).hex}`, keyIndex: 0, key }
  const failedIds: string[] = []
  let running: RunningFarm

  before(async () => {
    database = await createTestDatabase()
    node = await startLedgerNode({ seed: 5, head: begin, hasPayer: true })
    client = new NodeClient(node.endpoint)
    running = await runFarm(database, { CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: '0' }, { withIngest: true })
  })

  after(async () => {
    await running.stop()
    await client.close()
    await node.stop()
    await database.drop()
  })

  /** Sends a transaction for the next block. @returns its id */
  const done = async (wanted: TestTransaction): Promise<string> => {
    const id = await client.send(await client.signed(wanted))
    node.advance()
    return id
  }
  const create = (startBalance: bigint): Promise<string> =>
    done({ code: createAccount('emulator', { ...passkeyKey(), startBalance }), proposer: testPayer() })

  /** Names of domains that differ from the chain. */
  const untrue = async (client: pg.Pool | pg.ClientBase, height: number): Promise<string[]> => {
    const wrong: string[] = []
    for (const [name, compare] of Object.entries(domains)) {
      const { expected, found } = await compare(client, node.chain, height)
      if (expected.length === 0 || expected.join('\n') !== found.join('\n')) wrong.push(name)
    }
    return wrong
  }
  const expectTruth = async (height: number): Promise<void> => {
    for (const [name, compare] of Object.entries(domains)) {
      const { expected, found } = await compare(database.pool, node.chain, height)
      expect(expected, `${name} at ${height}`).to.not.deep.equal([])
      expect(found, `${name} at ${height}`).to.deep.equal(expected)
    }
    const { rows } = await database.pool.query('select code, event_type, message from raw.indexing_errors limit 5')
    expect(rows, `what workers could not use to ${height}`).to.deep.equal([])
  }

  it('matches the derived tables', async () => {
    await done({ code: createAccount('emulator', { ...key, startBalance: 50n * unit }), proposer: testPayer() })
    await done({ code: sendFlow('emulator', { amount: 2n * unit, to: userOfTurn(7).hex }), proposer: account })
    node.setHead(391)
    await create(0n)
    await done({
      code: sendFlow('emulator', { amount: 3n * unit, to: externalAccount(2).hex }),
      proposer: account,
      payer: testPayer(3),
    })
    node.setHead(405)
    failedIds.push(
      await done({ code: sendFlow('emulator', { amount: 99n * unit, to: userOfTurn(7).hex }), proposer: account }),
    )
    failedIds.push(
      await done({
        code: sendFlow('emulator', { amount: unit, to: userOfTurn(7).hex }),
        proposer: account,
        sequenceNumber: 77n,
      }),
    )
    await done({ code: addKey('emulator', passkeyKey()), proposer: account })
    await done({ code: revokeKey('emulator', 1), proposer: account })
    node.setHead(head)
    await untilDerived(database, names, [{ from: 0, to: head + 1 }], running)
    await expectTruth(head)
    const { rows } = await database.pool.query<{ row: unknown }>(
      `
      select concat_ws(' ', status, substring(error_message from 'Error Code: \\d+')) as row from raw.transactions where id = any($1) order by block_height`,
      [failedIds.map((id) => Buffer.from(id, 'hex'))],
    )
    expect(rows.map(({ row }) => row)).to.deep.equal(['SEALED Error Code: 1101', 'SEALED Error Code: 1007'])
  })

  it('matches the derived tables after a switch to a branch', async () => {
    node.switchTo(`${forkedAfter}b`, 597)
    await create(7n * unit)
    await done({ code: sendFlow('emulator', { amount: 4n * unit, to: externalAccount(2).hex }), proposer: account })
    node.setHead(601)
    await done({ code: addKey('emulator', passkeyKey()), proposer: account })
    node.setHead(end)
    await untilDerived(database, names, [{ from: 0, to: end + 1 }], running)
    await expectTruth(end)
  })

  it('differs from tables with any error', async () => {
    const client = await database.pool.connect()
    try {
      for (const [statement, domain] of [
        ['update app.ft_vault_balances set balance = balance + 0.00000001', 'compareVaults'],
        ['update app.ft_holdings set vault_balance = vault_balance + 0.00000001', 'compareHoldings'],
        ['delete from app.nft_ownership where nft_id = (select max(nft_id) from app.nft_ownership)', 'compareItems'],
        ['update app.account_keys set is_revoked = not is_revoked', 'compareKeys'],
        ['update app.smart_contracts set is_removed = false', 'compareContracts'],
        ['update app.staking_delegators set tokens_staked = tokens_staked + 1', 'compareStaking'],
        [`update app.scheduled_transactions set status = 'executed'`, 'compareScheduled'],
        ['update app.evm_token_holdings set balance = balance + 1', 'compareEvmTokens'],
      ] as const) {
        await client.query('begin')
        await client.query(statement)
        expect(await untrue(client, end), statement).to.deep.equal([domain])
        await client.query('rollback')
      }
    } finally {
      client.release()
    }
  })

  it('matches a second derivation in one pass', async () => {
    const report = await rebuildDerived({ pool: database.pool, workers, network: 'emulator' })
    expect({ problems: report.problems, failed: report.failed }).to.deep.equal({ problems: 0, failed: [] })
    const { isEqual, heights, tables } = await compareDerived({ pool: database.pool, workers })
    expect(tables.filter(({ differences }) => differences > 0)).to.deep.equal([])
    expect({ isEqual, heights }).to.deep.equal({ isEqual: true, heights: [{ from: 0, to: end + 1 }] })
  })

  it('matches the enrichment workers, without contradicting the events', async () => {
    const reader = createChainReader({ liveEndpoints: [node.endpoint], log: quiet })
    const script = await loadScripts('emulator')
    try {
      // Ownership lookups reveal more items to query.
      for (const worker of [...allEnrichmentWorkers, nftItemMetadataWorker]) {
        const loop = new EnrichmentLoop({
          pool: database.pool,
          worker,
          concurrency: 1,
          range: 1000,
          log: pino({ level: 'silent' }),
          metrics: new Metrics(),
          roundMs: 0,
          context: { reader, network: 'emulator', script, readJson },
        })
        while (await loop.round(new AbortController().signal)) continue
      }
    } finally {
      await reader.close()
    }
    const rows = async (text: string): Promise<unknown[]> =>
      (await database.pool.query<{ row: unknown }>(text)).rows.map(({ row }) => row)
    for (const table of [
      'ft_token_metadata',
      'nft_collection_metadata',
      'nft_items',
      'nft_holder_checks',
      'contract_code_questions',
      'network_state',
      'staking_node_info',
      'evm_token_metadata',
      'evm_item_metadata',
    ]) {
      expect(await rows(`select distinct status as row from app.${table}`), table).to.deep.equal(['answered'])
    }
    // Items from before the first block without events are found; items with events are where the
    // events say.
    expect(
      await rows('select count(*)::integer as row from app.nft_ownership_corrections where owner is not null'),
    ).to.not.deep.equal([0])
    expect(
      await rows(`
      select c as row from app.nft_ownership_corrections c join app.nft_ownership o using (token, nft_id)`),
    ).to.deep.equal([])
    const { staking } = node.chain.stateAt(end)
    expect(await rows('select total_staked::text as row from app.network_state')).to.deep.equal([
      ufix64Text(staking.totalStaked()),
    ])
    // Without events, registrations are still found through the node.
    expect(
      await rows(`
      select i.node_id as row from app.staking_node_info i join app.staking_nodes n using (node_id)
      where i.tokens_staked <> n.tokens_staked or i.tokens_committed <> n.tokens_committed or i.tokens_unstaking <> n.tokens_unstaking
        or i.tokens_unstaked <> n.tokens_unstaked or i.tokens_rewarded <> n.tokens_rewarded
        or i.tokens_requested_to_unstake <> n.tokens_requested_to_unstake or i.delegator_count <> n.delegator_count
        or i.networking_address <> n.networking_address`),
    ).to.deep.equal([])
  })

  it('matches the amounts of all EVM tokens of the API', async () => {
    const reader = createChainReader({ liveEndpoints: [node.endpoint], log: quiet })
    const api = await runApi(database.url, { server: { network: () => 'emulator' }, nodes: [node.endpoint] })
    try {
      const tokens = await allPages<EvmToken>(api, '/flow/evm/token', 100)
      expect(
        tokens.map(({ symbol, decimals, type, detected_type: detected }) => [symbol, decimals, type, detected]),
      ).to.have.deep.members([
        ['USDC', 6, 'ERC-20', 'ERC-20'],
        ['PEB', 6, 'ERC-20', 'ERC-20'],
        ['HERON', null, 'ERC-721', 'ERC-721'],
        ['FIND', null, 'ERC-1155', 'ERC-1155'],
      ])
      for (const token of tokens.filter(({ type }) => type !== 'ERC-1155')) {
        const path = `/flow/evm/token/${token.address}/holding`
        const holders = await allPages<{ address: EvmParty; value: string; amount: string }>(api, path, 100)
        const calls = holders.map(({ address }) => callInput('balanceOf(address)', BigInt(address.hash)))
        const script = (await loadScripts('emulator'))('evm_calls')
        const balances = await reader.executeScript(script, [
          cadence.array(calls.map(() => cadence.string(token.address.slice(2)))),
          cadence.array(calls.map((input) => cadence.string(input))),
          cadence.uint64(100_000),
          cadence.int(32),
        ])
        const units = token.type === 'ERC-20' ? 10n ** 6n : 1n
        const expected = (balances as string[]).map((balance) => {
          const value = BigInt(`0x${balance}`)
          const fraction = (value % units).toString().padStart(6, '0').replace(/0+$/, '')
          return {
            value: `${value}`,
            amount: `${value / units}${units === 1n || fraction === '' ? '' : `.${fraction}`}`,
          }
        })
        expect(
          holders.map(({ value, amount }) => ({ value, amount })),
          token.symbol ?? '',
        ).to.deep.equal(expected)
        expect(holders).to.have.lengthOf(token.holders)
      }
      const herons = tokens.find(({ symbol }) => symbol === 'HERON')
      const items = await allPages<{ token_id: string; owner: EvmParty; image_url: string }>(
        api,
        `/flow/evm/token/${herons?.address}/instances`,
        100,
      )
      const { evm } = node.chain.stateAt(end)
      expect(items.map(({ token_id: id, owner }) => [id, owner.hash])).to.deep.equal(
        Array.from({ length: Number(herons?.total_supply) }, (_, i) => [
          `${i + 1}`,
          `0x${evm.owner(herons?.address.slice(2) ?? '', i + 1)}`,
        ]),
      )
      expect(items.every(({ image_url: image }) => image.startsWith('data:image/svg+xml'))).to.equal(true)
      const [user] = evmUsers
      const digits = user?.address.toString('hex') ?? ''
      const { data } = await api.json<{ data: Record<string, unknown>[] }>(`/flow/evm/address/0x${digits}`)
      expect(data[0]).to.include({
        coin_balance: `${evm.balance(digits)}`,
        nonce: `${evm.nonce(digits)}`,
        code_size: 0,
        state_height: end,
      })
    } finally {
      await api.stop()
      await reader.close()
    }
  })
})
