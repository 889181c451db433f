import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { Block, BlockDetail } from '../../src/explorer/blocks/schema.ts'
import type { Transaction } from '../../src/explorer/transactions/schema.ts'
import type { TransactionDetail } from '../../src/explorer/transactions/detail-schema.ts'
import { importedContracts } from '../../src/flow/code/script-imports.ts'
import { feeOfTransaction, gasOfTransaction } from '../../src/flow/transactions/transaction-fee.ts'
import { tagsOfTransaction } from '../../src/flow/transactions/transaction-tags.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'

/**
 * Lists of accounts exclude system transactions, although an account may pay for them on the
 * emulator.
 */
const ofUsers = '(collection_index is not null or signatures is not null)'

describe('lists of transactions of a derived chain', () => {
  let chain: ExploredChain

  before(async () => {
    chain = await exploredChain()
  })

  /** All items of a list, page by page. */
  async function all(path: string, limit = 100): Promise<Transaction[]> {
    const items: Transaction[] = []
    let cursor = ''
    do {
      const separator = path.includes('?') ? '&' : '?'
      const list = await chain.api.json<List<Transaction>>(`${path}${separator}limit=${limit}&cursor=${cursor}`)
      items.push(...list.data)
      expect(list.has_more).to.equal(list.cursor !== '')
      cursor = list.cursor
    } while (cursor !== '')
    return items
  }

  async function placesOf(condition: string, ...values: readonly string[]): Promise<string[]> {
    const { rows } = await chain.database.pool.query<{ place: string }>(
      `select block_height || ':' || tx_index as place from raw.transactions t where ${condition}
       order by block_height desc, tx_index desc`,
      [...values],
    )
    return rows.map(({ place }) => place)
  }

  function places(items: readonly Transaction[]): string[] {
    return items.map((item) => `${item.block_height}:${item.transaction_index}`)
  }

  it('returns tags, fee, gas and imports according to events and script', async () => {
    const byPlace = new Map((await all('/flow/transaction')).map((item) => [places([item])[0], item]))
    let count = 0
    for (const { height, transactions } of await decodedRecording('base')) {
      for (const transaction of transactions) {
        const fee = feeOfTransaction(transaction, 'emulator')
        const shown = byPlace.get(`${height}:${transaction.index}`)
        expect(shown?.tags, `tags of ${height}:${transaction.index}`).to.deep.equal(
          tagsOfTransaction(transaction, 'emulator'),
        )
        expect(Number(shown?.fee)).to.equal(Number(fee.amount))
        expect(shown?.gas_used).to.equal(Number(gasOfTransaction(transaction, fee).used))
        expect(shown?.contract_imports).to.deep.equal(importedContracts(transaction, 'emulator'))
        count++
      }
    }
    expect(byPlace.size).to.equal(count)
  })

  it('lists the transactions of each account by role', async () => {
    const { rows } = await chain.database.pool.query<{ address: string }>(
      'select address from app.address_stats order by tx_count desc limit 3',
    )
    expect(rows).to.have.length(3)
    for (const { address } of rows) {
      expect(places(await all(`/flow/account/${address}/transaction`, 7))).to.deep.equal(
        await placesOf(
          `(payer_address = $1 or proposer_address = $1 or $1 = any (authorizers)) and ${ofUsers}`,
          address,
        ),
      )
      for (const [parameter, condition] of [
        ['payer', 'payer_address = $1'],
        ['proposer', 'proposer_address = $1'],
        ['authorizers', '$1 = any (authorizers)'],
      ] as const) {
        expect(
          places(await all(`/flow/transaction?${parameter}=${address}`, 23)),
          `${parameter} ${address}`,
        ).to.deep.equal(await placesOf(`${condition} and ${ofUsers}`, address))
      }
    }
  })

  it('combines filters with a height and with cursors', async () => {
    const [payer = ''] = (
      await chain.database.pool.query<{ payer: string }>(
        'select payer_address as payer from raw.transactions where status_code = 1 and collection_index is not null limit 1',
      )
    ).rows.map((row) => row.payer)
    const failed = await placesOf('status_code = 1 and payer_address = $1', payer)
    expect(failed).to.not.deep.equal([])
    expect(places(await all(`/flow/transaction?payer=${payer}&status=failure`, 1))).to.deep.equal(failed)
    expect(places(await all(`/flow/transaction?payer=${payer}&authorizers=${payer}&status=SUCCESS`, 9))).to.deep.equal(
      await placesOf(`status_code = 0 and payer_address = $1 and $1 = any (authorizers) and ${ofUsers}`, payer),
    )
    const [place = ''] = failed
    const [height = ''] = place.split(':')
    expect(places(await all(`/flow/transaction?payer=${payer}&height=${height}`, 1))).to.deep.equal(
      await placesOf(`block_height = $2 and payer_address = $1 and ${ofUsers}`, payer, height),
    )
    expect(places(await all(`/flow/account/${payer}/transaction?height=${height}`, 1))).to.deep.equal(
      await placesOf(`block_height = $2 and payer_address = $1 and ${ofUsers}`, payer, height),
    )
  })

  it('filters by execution status', async () => {
    expect(places(await all('/flow/transaction?status=FAILURE', 3))).to.deep.equal(await placesOf('status_code = 1'))
    expect(places(await all('/flow/transaction?status=SUCCESS'))).to.deep.equal(await placesOf('status_code = 0'))
    expect(places(await all('/flow/transaction?status=SEALED'))).to.deep.equal(await placesOf("status = 'SEALED'"))
    expect(await all('/flow/transaction?status=UNKNOWN')).to.deep.equal([])
  })

  it('lists the transactions that import a contract', async () => {
    const shown = await all('/flow/transaction')
    const contracts = new Map(shown.flatMap((item) => item.contract_imports).map((contract) => [contract, 0]))
    expect(contracts.size).to.be.greaterThan(5)
    for (const contract of [...contracts.keys()].toSorted().filter((_, i) => i % 4 === 0)) {
      expect(places(await all(`/flow/contract/${contract}/transaction`, 7)), contract).to.deep.equal(
        places(shown.filter((item) => item.contract_imports.includes(contract))),
      )
    }
  })

  it('returns transfer summaries relative to the account', async () => {
    const { rows } = await chain.database.pool.query<{ address: string }>(
      'select address from app.address_stats order by tx_count desc limit 6',
    )
    let lines = 0
    for (const { address } of rows) {
      for (const item of await all(`/flow/account/${address}/transaction`)) {
        const { rows: sums } = await chain.database.pool.query<{ token: string; direction: string; amount: string }>(
          `
          select token, 'in' as direction, sum(amount)::text as amount from app.ft_transfers
          where block_height = $1 and tx_index = $2 and to_address = $3 and from_address is distinct from $3
            and transfer_type not in ('fee', 'escrow') group by token
          union all
          select token, 'out', sum(amount)::text from app.ft_transfers
          where block_height = $1 and tx_index = $2 and from_address = $3 and to_address is distinct from $3
            and transfer_type not in ('fee', 'escrow') group by token
          order by token, direction`,
          [item.block_height, item.transaction_index, address],
        )
        const reported = item.transfer_summary?.ft.map(({ token, direction, amount }) => ({ token, direction, amount }))
        expect(reported).to.deep.equal(sums)
        lines += sums.length
      }
    }
    expect(lines).to.be.greaterThan(20)
  })

  it('returns net transfers without an account', async () => {
    for (const item of await all('/flow/transaction')) {
      const { rows: moves } = await chain.database.pool.query<{
        token: string
        from: string | null
        to: string | null
        amount: string
      }>(
        `
        select token, from_address as from, to_address as to, (amount * 100000000)::int8::text as amount from app.ft_transfers
        where block_height = $1 and tx_index = $2 and transfer_type not in ('fee', 'escrow')`,
        [item.block_height, item.transaction_index],
      )
      const net = new Map<string, bigint>()
      for (const { token, from, to, amount } of moves) {
        if (from !== null) net.set(`${token} ${from}`, (net.get(`${token} ${from}`) ?? 0n) - BigInt(amount))
        if (to !== null) net.set(`${token} ${to}`, (net.get(`${token} ${to}`) ?? 0n) + BigInt(amount))
      }
      for (const { token, amount, counterparty } of item.transfer_summary?.ft ?? []) {
        const ofToken = [...net]
          .filter(([key]) => key.startsWith(`${token} `))
          .map(([key, sum]) => ({ address: key.split(' ')[1], sum }))
        const winners = ofToken.filter(({ sum }) => sum > 0n)
        const won = winners.reduce((total, { sum }) => total + sum, 0n)
        const lost = -ofToken.filter(({ sum }) => sum < 0n).reduce((total, { sum }) => total + sum, 0n)
        const max = won > lost ? won : lost
        if (max > 0n) expect(BigInt(Math.round(Number(amount) * 1e8)), `${item.id} ${token}`).to.equal(max)
        expect(counterparty).to.equal(winners.length === 1 ? winners[0]?.address : null)
      }
      expect(new Set(item.transfer_summary?.ft.map(({ token }) => token))).to.deep.equal(
        new Set(moves.map(({ token }) => token)),
      )
    }
  })

  it('returns the complete detail, and a reduced one with `lite`', async () => {
    const kinds = { ft_transfers: 0, nft_transfers: 0, defi_events: 0, evm_executions: 0, scheduled_txs: 0 }
    const { rows: some } = await chain.database.pool.query<{ place: string }>(
      ['ft_transfers', 'nft_transfers', 'defi_events', 'evm_tx_hashes', 'scheduled_transaction_changes']
        .map(
          (table) => `(
        select block_height || ':' || tx_index as place from app.${table}
        group by block_height, tx_index order by count(*) desc limit 8
      )`,
        )
        .join(' union '),
    )
    const items = (await all('/flow/transaction')).filter((item) =>
      some.some(({ place }) => place === places([item])[0]),
    )
    for (const item of items) {
      // Some are in several blocks.
      const query = `?height=${item.block_height}`
      const {
        data: [detail],
      } = await chain.api.json<{ data: TransactionDetail[] }>(`/flow/transaction/${item.id}${query}`)
      expect(detail).to.deep.include({
        tags: item.tags,
        fee: item.fee,
        transfer_summary: item.transfer_summary,
        contract_imports: item.contract_imports,
      })
      expect(detail?.events.length).to.equal(item.event_count)
      for (const [kind, table, condition] of [
        ['ft_transfers', 'app.ft_transfers', "transfer_type <> 'fee'"],
        ['nft_transfers', 'app.nft_transfers', 'true'],
        ['defi_events', 'app.defi_events', 'true'],
        ['evm_executions', 'app.evm_tx_hashes', 'true'],
        ['scheduled_txs', 'app.scheduled_transaction_changes', 'true'],
      ] as const) {
        const {
          rows: [row],
        } = await chain.database.pool.query<{ count: string }>(
          `select count(*) from ${table} where block_height = $1 and tx_index = $2 and ${condition}`,
          [item.block_height, item.transaction_index],
        )
        expect(detail?.[kind].length, `${kind} of ${item.id}`).to.equal(Number(row?.count))
        kinds[kind] += detail?.[kind].length ?? 0
      }
    }
    expect(
      Object.values(kinds).filter((count) => count === 0),
      JSON.stringify(kinds),
    ).to.deep.equal([])
    const [newest] = await all('/flow/transaction?status=FAILURE')
    const {
      data: [lite],
    } = await chain.api.json<{ data: TransactionDetail[] }>(`/flow/transaction/${newest?.id}?lite=true`)
    expect(lite).to.deep.include({
      lite: true,
      events: [],
      ft_transfers: [],
      script: null,
      error: newest?.error,
      tags: newest?.tags,
    })
  })

  it('finds a transaction by the hash of each of its EVM transactions', async () => {
    const { rows } = await chain.database.pool.query<{ evm_hash: string; tx_id: string }>(
      'select evm_hash, tx_id from app.evm_tx_hashes h join raw.transactions t using (block_height, tx_index) where t.payer_address is not null order by evm_hash limit 20',
    )
    expect(rows).to.not.deep.equal([])
    for (const { evm_hash: hash, tx_id: id } of rows) {
      const {
        data: [found],
      } = await chain.api.json<{ data: TransactionDetail[] }>(`/flow/transaction/0x${hash}?lite=1`)
      expect(found?.id).to.equal(id)
    }
  })

  it('returns events on request', async () => {
    const list = await chain.api.json<List<Transaction>>('/flow/transaction?limit=50&include_events=true')
    for (const item of list.data) expect(item.events.length, item.id).to.equal(item.event_count)
  })

  it('returns the fees and computation of each block', async () => {
    let cursor = ''
    const reported = new Map<number, Block>()
    do {
      const list = await chain.api.json<List<Block>>(`/flow/block?limit=100&cursor=${cursor}`)
      for (const block of list.data) reported.set(block.height, block)
      cursor = list.cursor
    } while (cursor !== '')
    const transactions = await all('/flow/transaction')
    for (const [height, ofBlock] of Map.groupBy(transactions, (item) => item.block_height)) {
      const block = reported.get(height)
      expect(block?.total_gas_used).to.equal(ofBlock.reduce((sum, item) => sum + (item.gas_used ?? 0), 0))
      expect(Number(block?.fees)).to.be.closeTo(
        ofBlock.reduce((sum, item) => sum + Number(item.fee), 0),
        1e-9,
      )
      if (height % 20 !== 0) continue
      const {
        data: [detail],
      } = await chain.api.json<{ data: BlockDetail[] }>(`/flow/block/${height}`)
      expect(detail).to.deep.include(block)
    }
  })

  it('returns scripts by hash', async () => {
    const hash = (await all('/flow/transaction?status=FAILURE'))[0]?.script_hash ?? ''
    const {
      data: [script],
    } = await chain.api.json<{ data: { script_hash: string; script_text: string }[] }>(`/flow/script/${hash}`)
    const {
      rows: [row],
    } = await chain.database.pool.query<{ text: string }>(
      "select script_text as text from raw.scripts where script_hash = decode($1, 'hex')",
      [hash],
    )
    expect(script).to.deep.include({ script_hash: hash, script_text: row?.text })
    expect((await chain.api.get(`/flow/script/${'0'.repeat(64)}`)).status).to.equal(404)
  })

  it('rejects invalid accounts, statuses, contracts and cursors', async () => {
    const id = 'a'.repeat(64)
    for (const [path, field] of [
      ['/flow/transaction?payer=xyz', 'payer'],
      ['/flow/transaction?status=sealed-ish', 'status'],
      ['/flow/transaction?proposer=', 'proposer'],
      ['/flow/transaction?authorizers=0x1,0x2', 'authorizers'],
      ['/flow/account/zz/transaction', 'address'],
      ['/flow/contract/nope/transaction', 'identifier'],
      ['/flow/account/0x1/transaction?cursor=12', 'cursor'],
      [`/flow/account/0x1/transaction?cursor=12:${id}`, 'cursor'],
      ['/flow/script/12', 'hash'],
    ] as const) {
      const response = await chain.api.get(path)
      expect(response.status, path).to.equal(400)
      expect(await response.json(), path).to.include({ code: 'invalid-parameter', field })
    }
    expect((await chain.api.json<List<Transaction>>('/flow/account/0x1234/transaction')).data).to.deep.equal([])
    expect(
      (await chain.api.json<List<Transaction>>('/flow/contract/A.0000000000000001.None/transaction')).data,
    ).to.deep.equal([])
  })
})
