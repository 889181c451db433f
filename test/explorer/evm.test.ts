import { expect } from 'chai'
import { encode } from 'rlp'
import { readInternalTransactions } from '../../src/explorer/evm/lists.ts'
import type { List } from '../../src/explorer/paging/pages.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import type { EvmParty, EvmTokenTransferItem, EvmToken, EvmTokenRef } from '../../src/explorer/evm/token-schema.ts'
import type { EvmLogItem, EvmTransactionDetail, EvmTransactionItem } from '../../src/explorer/evm/schema.ts'
import { allPages } from '../support/all-pages.ts'
import { createTestDatabase } from '../support/database.ts'
import { evmTruth } from '../support/evm-annotations.ts'
import type { EvmTruth } from '../support/evm-annotations.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'
import { runApi } from '../support/running-api.ts'

interface EvmGas {
  readonly gas_price: { readonly median: string | null }
  readonly transaction_count: number
  readonly actions: readonly { readonly action: string; readonly fee_flow: string | null }[]
  readonly blocks: readonly object[]
  readonly contracts: readonly {
    readonly address: EvmParty
    readonly transaction_count: number
    readonly gas_used: string
    readonly share: number
  }[]
  readonly days: readonly { readonly gas_used: string }[]
}

interface EvmBlock {
  readonly number: number
  readonly hash: string
  readonly block_height: number
  readonly transaction_count: number
  readonly gas_used: string
}

interface Hit {
  readonly type: string
  readonly address: string | null
}

interface Holding {
  readonly token: EvmTokenRef
  readonly token_id: string | null
  readonly value: string
}

describe('EVM routes on a recorded chain', () => {
  let chain: ExploredChain
  let truth: EvmTruth
  let transactions: readonly EvmTransactionItem[]

  before(async () => {
    chain = await exploredChain()
    truth = await evmTruth('base')
    transactions = await allPages<EvmTransactionItem>(chain.api, '/flow/evm/transaction', 20)
  })

  async function rows<Row extends object>(text: string): Promise<Row[]> {
    return (await chain.database.pool.query<Row>(text)).rows
  }

  const coin = (): string => truth.contracts['Coin'] ?? ''
  const badge = (): string => truth.contracts['Badge'] ?? ''

  it('list all transactions, latest first, with their Flow transaction', async () => {
    const expected = await rows<Record<string, unknown>>(`
      select encode(t.id, 'hex') as transaction_id, block_height::int, tx_index as transaction_index, event_index,
        '0x' || right(payload ->> 'hash', 64) as hash, payload ->> 'gasConsumed' as gas_used,
        (payload ->> 'errorCode')::int as error_code, (payload ->> 'blockHeight')::int as block_number
      from raw.events e join raw.transactions t using (block_height, tx_index)
      where type like '%.EVM.TransactionExecuted'
      order by block_height desc, tx_index desc, event_index desc`)
    expect(
      transactions.map((shown) => ({
        transaction_id: shown.transaction_id,
        block_height: shown.block_height,
        transaction_index: shown.transaction_index,
        event_index: shown.event_index,
        hash: shown.hash,
        gas_used: shown.gas_used,
        error_code: shown.error_code,
        block_number: shown.block_number,
      })),
    ).to.deep.equal(expected)
    for (const one of transactions) {
      expect(one.evm_status === 1).to.equal(one.error_code === 0)
      expect([one.status, one.evm_hash, one.evm_from, one.evm_to]).to.deep.equal([
        one.evm_status === 1 ? 'ok' : 'error',
        one.hash.slice(2),
        one.from?.hash.slice(2) ?? null,
        one.to?.hash.slice(2) ?? null,
      ])
      expect(one.raw_input).to.match(/^0x/)
    }
  })

  it('return one by hash in any spelling, with logs and token transfers', async () => {
    for (const one of transactions.filter(
      ({ tx_types: types }, i) => types.includes('token_transfer') || i % 10 === 0,
    )) {
      const {
        data: [shown],
      } = await chain.api.json<{ data: EvmTransactionDetail[] }>(`/flow/evm/transaction/${one.hash}`)
      const { logs, token_transfers: transfers, transaction, ...fields } = shown ?? {}
      expect(fields).to.deep.equal(one)
      expect(transaction).to.deep.include({ id: one.transaction_id, block_height: one.block_height, is_evm: true })
      expect(one.tx_types.includes('token_transfer')).to.equal(transfers?.length !== 0)
      if (logs?.length === 0) continue
      const path = `/flow/evm/transaction/${one.evm_hash}`
      expect((await chain.api.json<{ data: EvmLogItem[] }>(`${path}/logs`)).data).to.deep.equal(logs)
      expect((await chain.api.json<{ data: EvmTokenTransferItem[] }>(`${path}/token-transfers`)).data).to.deep.equal(
        transfers,
      )
    }
    const [any] = transactions
    const { data } = await chain.api.json<{ data: EvmTransactionDetail[] }>(
      `/flow/evm/transaction/${any?.evm_hash.toUpperCase()}`,
    )
    expect(data[0]?.hash).to.equal(any?.hash)
  })

  it('decode token calls and logs', async () => {
    let decoded = 0
    for (const { hash } of transactions.filter(({ method, status }) => method === 'transfer' && status === 'ok')) {
      const {
        data: [shown],
      } = await chain.api.json<{ data: EvmTransactionDetail[] }>(`/flow/evm/transaction/${hash}`)
      const [transfer] = shown?.token_transfers ?? []
      if (shown?.from === null || shown?.to?.hash !== coin()) continue
      expect(shown.decoded_input).to.deep.equal({
        method_call: 'transfer(address,uint256)',
        method_id: '0xa9059cbb',
        parameters: [
          { name: 'to', type: 'address', value: transfer?.to?.hash },
          { name: 'amount', type: 'uint256', value: transfer?.total.value },
        ],
      })
      expect(shown.logs[transfer?.log_index ?? 0]?.decoded).to.deep.equal({
        name: 'Transfer',
        method_call: 'Transfer(address,address,uint256)',
        parameters: [
          { name: 'from', type: 'address', indexed: true, value: shown.from.hash },
          { name: 'to', type: 'address', indexed: true, value: transfer?.to?.hash },
          { name: 'value', type: 'uint256', indexed: false, value: transfer?.total.value },
        ],
      })
      decoded += 1
    }
    expect(decoded).to.be.greaterThan(3)
  })

  it('list tokens with holders equal to the chain at its end', async () => {
    const tokens = await allPages<EvmToken>(chain.api, '/flow/evm/token', 1)
    expect(new Set(tokens.map(({ address }) => address))).to.deep.equal(new Set([coin(), badge()]))
    for (const token of tokens) {
      const name = token.address === coin() ? 'Coin' : 'Badge'
      expect(token.type).to.equal(name === 'Coin' ? 'ERC-20' : 'ERC-721')
      expect(await chain.api.json(`/flow/evm/token/${token.address}`)).to.deep.equal({ data: [token] })
      expect(await allPages(chain.api, `/flow/evm/token?type=${token.type}`, 1)).to.deep.equal([token])
      const held = Object.entries(truth.holders).map(([address, of]) => [address, of[name] ?? '0'] as const)
      const holders = await allPages<{ address: EvmParty; value: string }>(
        chain.api,
        `/flow/evm/token/${token.address}/holding`,
        2,
      )
      const shown = new Map(holders.map(({ address, value }) => [address.hash, value]))
      for (const [address, balance] of held) expect(shown.get(address) ?? '0', address).to.equal(balance)
      expect(holders).to.have.length(token.holders)
      const balances = holders.map(({ value }) => BigInt(value))
      expect(balances).to.deep.equal(balances.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
      const transfers = await allPages<EvmTokenTransferItem>(
        chain.api,
        `/flow/evm/token/${token.address}/token-transfers`,
        4,
      )
      expect(transfers).to.have.length(token.transfer_count)
    }
    expect(await allPages(chain.api, '/flow/evm/token?type=ERC-1155', 1)).to.deep.equal([])
  })

  it('return balances, transactions and owner of an address', async () => {
    const owners = new Map(
      (
        await rows<{ coa: string; owner: string }>(
          'select coa_address as coa, flow_address as owner from app.coa_accounts',
        )
      ).map(({ coa, owner }) => [coa, owner]),
    )
    for (const [address, balances] of Object.entries(truth.holders)) {
      const path = `/flow/evm/address/${address}`
      const {
        data: [page],
      } = await chain.api.json<{ data: Record<string, unknown>[] }>(path)
      expect(page, address).to.include({
        hash: address,
        flow_address: owners.get(address) ?? null,
        is_coa: owners.has(address),
      })
      const sent = transactions.filter(({ from, to }) => from?.hash === address || to?.hash === address)
      expect(await allPages(chain.api, `${path}/transactions`, 3), address).to.deep.equal(sent)
      if (sent.length > 0) expect(page?.['last_height']).to.be.at.least(sent[0]?.block_height ?? 0)
      const holdings = await allPages<Holding>(chain.api, `${path}/token`, 1)
      const held = [
        [coin(), balances['Coin']],
        [badge(), balances['Badge']],
      ].filter(([, balance]) => balance !== '0')
      expect(
        holdings.map(({ token, value }) => [token.address, value]),
        address,
      ).to.have.deep.members(held)
      const items = await allPages<Holding>(chain.api, `${path}/nft`, 1)
      expect(String(items.length), address).to.equal(balances['Badge'])
      const [moved] = await rows<{ count: number }>(`
        select count(*)::int from app.evm_token_transfers where '${address.slice(2)}' in (from_address, to_address)`)
      const transfers = await allPages<EvmTokenTransferItem>(chain.api, `${path}/token-transfers`, 3)
      expect(transfers, address).to.have.length(moved?.count ?? 0)
      expect(transfers.every(({ from, to }) => from?.hash === address || to?.hash === address)).to.equal(true)
    }
    expect(owners.size).to.be.greaterThan(1)
  })

  it('have the price and the fee that the chain charged', () => {
    for (const {
      type,
      gas_price: price,
      max_fee_per_gas: cap,
      max_priority_fee_per_gas: tip,
      ...one
    } of transactions) {
      const paid = price ?? (cap === null || tip === null ? null : BigInt(cap) < BigInt(tip) ? cap : tip)
      expect(one.effective_gas_price).to.equal(paid)
      expect(one.effective_gas_price === null).to.equal(type === 255)
      expect(one.fee?.value).to.equal(paid === null ? undefined : String(BigInt(paid) * BigInt(one.gas_used)))
    }
    expect(transactions.some(({ type, fee }) => type === 2 && fee?.value !== '0')).to.equal(true)
  })

  it('list blocks with their transactions', async () => {
    const executed = await rows<{ block_height: number; number: number; hash: string }>(`
      select block_height::int, (payload ->> 'height')::int as number, payload ->> 'hash' as hash from raw.events
      where type like '%.EVM.BlockExecuted' order by block_height desc, tx_index desc, event_index desc`)
    const blocks = await allPages<EvmBlock>(chain.api, '/flow/evm/block', 50)
    expect(blocks.map(({ block_height, number, hash }) => ({ block_height, number, hash }))).to.deep.equal(executed)
    const some = blocks.filter(({ transaction_count: count }, i) => count > 1 || i % 100 === 0)
    // The transactions of block 1 precede the first Flow block with events.
    for (const block of some.filter(({ number }) => number > 1).slice(0, 10)) {
      const path = `/flow/evm/block/${block.number}`
      expect(await chain.api.json(path)).to.deep.equal({ data: [block] })
      const within = await allPages<EvmTransactionItem>(chain.api, `${path}/transactions`, 1)
      expect(within, path).to.deep.equal(transactions.filter((one) => one.block_number === block.number).toReversed())
      expect(within).to.have.lengthOf(block.transaction_count)
      expect(String(within.reduce((sum, one) => sum + one.evm_gas_used, 0)), path).to.equal(block.gas_used)
    }
    expect((await chain.api.get('/flow/evm/block/999999999/transactions')).status).to.equal(404)
  })

  it('find addresses and transactions', async () => {
    const [any] = transactions
    const search = async (text: string) => (await chain.api.json<{ data: Hit[] }>(`/flow/evm/search?q=${text}`)).data
    expect(await search(any?.hash ?? '')).to.have.nested.property('0.transaction_hash', any?.hash)
    expect(await search(coin().toUpperCase().replace('0X', '0x'))).to.have.nested.property('0.type', 'contract')
    expect(await search(`0x${'9'.repeat(40)}`)).to.deep.equal([])
  })

  it('return the internal transactions that events have, and aliases of Flow explorers', async () => {
    const { hash } = transactions[0] ?? { hash: '' }
    const internal = await chain.api.json<{ data: unknown[]; note: string }>(
      `/flow/evm/transaction/${hash}/internal-transactions`,
    )
    expect(internal.data).to.deep.equal([])
    expect(internal.note).to.include('Events record only')
    const [address] = Object.keys(truth.holders)
    const path = `/flow/evm/address/${address}`
    const page = await chain.api.json<List<unknown>>(`${path}/internal-transactions?limit=1`)
    expect(page).to.include({ has_more: true }).and.deep.include({ data: [] })
    const next = await chain.api.json<List<unknown>>(`${path}/internal-transactions?cursor=${page.cursor}&limit=100`)
    expect(next.data).to.deep.equal([])
    await expectProblem(chain.api, `${path}/internal-transactions?limit=101`, 'limit', '100')
    expect(await chain.api.json(`${path}/transfer`)).to.deep.equal(await chain.api.json(`${path}/token-transfers`))
    const [newest] = await rows<{ height: number }>('select max(height)::int as height from raw.blocks')
    expect(await chain.api.json('/defi/latest-block')).to.deep.equal({ data: [{ latest_block: newest?.height }] })
  })

  it('present calls of built-in contracts', async () => {
    const reads = await createReadPool({ url: chain.database.url })
    const arch = '0000000000000000000000010000000000000001'
    const calls = [
      [Buffer.alloc(2, 7), ''],
      [Buffer.alloc(0), 'no proof'],
    ]
    const bytes = Buffer.concat([Buffer.from([1]), encode([[Buffer.from(arch, 'hex'), [10, 20], calls]])])
    const row = { evm_hash: 'ab'.repeat(32), evm_block_height: 9 }
    const found = await readInternalTransactions(reads, [
      { ...row, precompiled_calls: null },
      { ...row, precompiled_calls: `0x${bytes.toString('hex')}` },
    ])
    await reads.end()
    const call = { transaction_hash: `0x${row.evm_hash}`, block_number: 9, type: 'call', from: null }
    expect(found.map(({ to, ...rest }) => ({ ...rest, to: to?.hash }))).to.deep.equal([
      { ...call, index: 0, success: true, error: null, output: '0x0707', to: `0x${arch}` },
      { ...call, index: 1, success: false, error: 'no proof', output: '0x', to: `0x${arch}` },
    ])
  })

  it('detect contracts by their creation', async () => {
    for (const address of Object.values(truth.contracts)) {
      const {
        data: [page],
      } = await chain.api.json<{
        data: { is_contract: boolean; creation_transaction_hash: string; creator: EvmParty }[]
      }>(`/flow/evm/address/${address}`)
      expect(page?.is_contract, address).to.equal(true)
      const creation = transactions.find(({ hash }) => hash === page?.creation_transaction_hash)
      expect(creation?.created_contract?.hash).to.equal(address)
      expect(creation?.from).to.deep.equal(page?.creator)
    }
  })

  it('sum gas and fees of the transactions', async () => {
    const {
      data: [gas],
    } = await chain.api.json<{ data: [EvmGas] }>('/flow/evm/gas')
    const used = (rows: readonly EvmTransactionItem[]): number => rows.reduce((sum, row) => sum + row.evm_gas_used, 0)
    const [latest] = transactions
    expect(gas).to.deep.include({
      transaction_count: transactions.length,
      signed_transaction_count: transactions.filter(({ type }) => type !== 255).length,
      gas_used: String(used(transactions)),
      since: transactions.at(-1)?.timestamp,
      until: latest?.timestamp,
    })
    const inBlock = transactions.filter((row) => row.block_number === latest?.block_number)
    expect(gas.blocks[0]).to.deep.equal({
      number: latest?.block_number,
      block_height: latest?.block_height,
      transaction_count: inBlock.length,
      gas_used: String(used(inBlock)),
    })
    expect(gas.days.reduce((sum, day) => sum + Number(day.gas_used), 0)).to.equal(used(transactions))
    for (const { address, transaction_count: count, gas_used: total, share } of gas.contracts) {
      const calls = transactions.filter(
        (row) => row.evm_gas_used !== 21_000 && (row.created_contract ?? row.to)?.hash === address.hash,
      )
      expect([count, total]).to.deep.equal([calls.length, String(used(calls))])
      expect(share).to.be.closeTo(Number(total) / used(transactions), 1e-9)
    }
    const median = BigInt(gas.gas_price.median ?? 0)
    expect(gas.actions.map(({ action }) => action)).to.deep.equal([
      'flow_transfer',
      'token_transfer',
      'nft_transfer',
      'contract_creation',
    ])
    expect(gas.actions[0]).to.deep.include({ gas: '21000' })
    expect(Number(gas.actions[0]?.fee_flow)).to.be.closeTo(Number(median * 21_000n) / 1e18, 1e-12)
  })

  it('filter lists of transactions and transfers by day and direction', async () => {
    const dayOf = ({ timestamp }: { timestamp: string }): string => timestamp.slice(0, 10)
    const [first, last] = [transactions.at(-1), transactions[0]].map((row) => (row === undefined ? '' : dayOf(row)))
    const ids = (rows: readonly { hash: string }[]): string[] => rows.map(({ hash }) => hash)
    for (const day of [first, last]) {
      const found = await allPages<EvmTransactionItem>(chain.api, `/flow/evm/transaction?from=${day}&to=${day}`, 20)
      expect(ids(found), day).to.deep.equal(ids(transactions.filter((row) => dayOf(row) === day)))
    }
    const address = transactions.find(({ from, to }) => from !== null && to !== null)?.from?.hash ?? ''
    const path = `/flow/evm/address/${address}`
    const all = await allPages<EvmTransactionItem>(chain.api, `${path}/transactions`, 20)
    for (const [direction, side] of [
      ['sent', 'from'],
      ['received', 'to'],
    ] as const) {
      const found = await allPages<EvmTransactionItem>(chain.api, `${path}/transactions?direction=${direction}`, 20)
      expect(ids(found), direction).to.deep.equal(ids(all.filter((row) => row[side]?.hash === address)))
    }
    const [holder] = Object.keys(truth.holders)
    const ofHolder = `/flow/evm/address/${holder?.toLowerCase()}/token-transfers`
    const moved = await allPages<EvmTokenTransferItem>(chain.api, ofHolder, 20)
    for (const [direction, side] of [
      ['sent', 'from'],
      ['received', 'to'],
    ] as const) {
      const found = await allPages<EvmTokenTransferItem>(chain.api, `${ofHolder}?direction=${direction}`, 20)
      expect(found, direction).to.deep.equal(moved.filter((row) => row[side]?.hash === holder?.toLowerCase()))
    }
    await expectProblem(chain.api, `${path}/transactions?direction=up`, 'direction', 'sent or received')
    await expectProblem(chain.api, '/flow/evm/transaction?from=2026-02-02&to=2026-02-01', 'from', 'must not be after')
  })

  it('filter lists of transactions by status, type and method', async () => {
    const list = async (query: string, path = '/flow/evm/transaction'): Promise<string[]> => {
      const found = await allPages<EvmTransactionItem>(chain.api, `${path}?${query}`, 7)
      return found.map(({ hash }) => hash)
    }
    const ids = (isIn: (row: EvmTransactionItem) => boolean): string[] =>
      transactions.filter(isIn).map(({ hash }) => hash)
    for (const status of ['ok', 'error'] as const) {
      expect(await list(`status=${status}`), status).to.deep.equal(ids((row) => row.status === status))
    }
    const types = [...new Set(transactions.map(({ type }) => type))]
    expect(types).to.include.members([0, 255])
    for (const type of types) {
      expect(await list(`type=${type}`), `${type}`).to.deep.equal(ids((row) => row.type === type))
    }
    const transfers = ids(({ method }) => method === 'transfer')
    expect(transfers.length).to.be.greaterThan(7)
    for (const method of ['transfer', 'TRANSFER', 'transfer(address,uint256)', '0xa9059cbb', '0XA9059CBB']) {
      expect(await list(`method=${encodeURIComponent(method)}`), method).to.deep.equal(transfers)
    }
    const unnamed = transactions.find(({ method }) => method?.startsWith('0x') === true)?.method ?? ''
    expect(await list(`method=${unnamed}`)).to.deep.equal(ids(({ method }) => method === unnamed))
    expect(await list('method=unknownFunction')).to.deep.equal([])
    expect(await list('method=transfer&status=ok&type=0')).to.deep.equal(
      ids((row) => row.method === 'transfer' && row.status === 'ok' && row.type === 0),
    )
    const address = transactions.find(({ method }) => method === 'transfer')?.from?.hash ?? ''
    expect(await list('method=transfer', `/flow/evm/address/${address}/transactions`)).to.deep.equal(
      ids((row) => row.method === 'transfer' && [row.from?.hash, row.to?.hash].includes(address)),
    )
    for (const [query, field, text] of [
      ['status=failed', 'status', 'ok or error'],
      ['type=3', 'type', '0, 1, 2, 4 or 255'],
      ['method=0x12', 'method', '8 hex digits'],
      [`method=${'a'.repeat(101)}`, 'method', 'name'],
      [`method=a(${'a'.repeat(401)})`, 'method', 'name'],
    ] as const) {
      await expectProblem(chain.api, `/flow/evm/transaction?${query}`, field, text)
    }
    expect(await list(`method=${'a'.repeat(100)}(${'a'.repeat(400)})`)).to.deep.equal([])
  })

  it('return 404 for unknown and 400 for invalid parameters', async () => {
    const nobody = `0x${'9'.repeat(40)}`
    for (const [path, code] of [
      [`/flow/evm/transaction/${'0'.repeat(64)}`, 'unknown-evm-transaction'],
      [`/flow/evm/transaction/${'0'.repeat(64)}/logs`, 'unknown-evm-transaction'],
      [`/flow/evm/token/${nobody}`, 'unknown-evm-token'],
      [`/flow/evm/token/${coin()}?type=ERC-721`, 'unknown-evm-token'],
      [`/flow/evm/token/${nobody}/holding`, 'unknown-evm-token'],
      [`/flow/evm/address/${nobody}`, 'unknown-evm-address'],
    ] as const) {
      const response = await chain.api.get(path)
      expect([response.status, ((await response.json()) as { code: string }).code], path).to.deep.equal([404, code])
    }
    expect(await allPages(chain.api, `/flow/evm/address/${nobody}/token`, 1)).to.deep.equal([])
    await expectProblem(chain.api, '/flow/evm/transaction/0x1', 'hash', '64 hex digits')
    await expectProblem(chain.api, '/flow/evm/transaction?limit=101', 'limit', '100')
    await expectProblem(chain.api, '/flow/evm/token?type=ERC20', 'type', 'ERC-20')
    await expectProblem(chain.api, '/flow/evm/token?cursor=1:2:3', 'cursor', '<holders>:<address>:<type>')
    await expectProblem(chain.api, '/flow/evm/token/0x12', 'address', '40 hex digits')
    await expectProblem(chain.api, `/flow/evm/address/${nobody}/nft?cursor=${nobody}:ERC-20:1`, 'cursor', '<token_id>')
  })
})

describe('EVM tokens associated with Flow tokens', () => {
  it('have their names, images and prices', async () => {
    const database = await createTestDatabase()
    const [moss, badges, other] = ['a1', 'b2', 'c3'].map((byte) => byte.repeat(20))
    await database.pool.query(`
      insert into app.evm_tokens values ('${moss}', 20, 5, 9, 4, 0), ('${badges}', 721, 6, 8, 3, 0), ('${other}', 20, 7, 1, 2, 1);
      insert into app.ft_token_metadata (token, name, symbol, logo, evm_address)
      values ('A.0000000000000001.Moss', 'Moss Points', 'MOSS', 'https://example.org/moss.svg', '0x${moss}');
      insert into app.nft_collection_metadata (token, name, square_image, evm_address)
      values ('A.0000000000000002.Badges', 'Badges', 'https://example.org/badge.svg', '0x${badges}');
      insert into app.prices values ('A.0000000000000001.Moss', 'USD', '2026-01-01', 0.5, 'MOSS'),
        ('A.0000000000000001.Moss', 'USD', '2026-01-02', 0.75, 'MOSS')`)
    const api = await runApi(database.url)
    try {
      const tokens = await allPages<EvmToken>(api, '/flow/evm/token', 2)
      expect(
        tokens.map(({ name, symbol, icon_url: icon, flow_token: flow, exchange_rate: rate, is_complete: whole }) => ({
          name,
          symbol,
          icon,
          flow,
          rate,
          whole,
        })),
      ).to.deep.equal([
        {
          name: 'Moss Points',
          symbol: 'MOSS',
          icon: 'https://example.org/moss.svg',
          flow: 'A.0000000000000001.Moss',
          rate: '0.75',
          whole: true,
        },
        {
          name: 'Badges',
          symbol: null,
          icon: 'https://example.org/badge.svg',
          flow: 'A.0000000000000002.Badges',
          rate: null,
          whole: true,
        },
        { name: null, symbol: null, icon: null, flow: null, rate: null, whole: false },
      ])
      const {
        data: [page],
      } = await api.json<{ data: Record<string, unknown>[] }>(`/flow/evm/address/0x${moss}`)
      expect(page).to.deep.include({ name: 'Moss Points', is_contract: true, token: tokens[0] })
      await database.pool.query(
        `insert into app.evm_token_metadata (token, name, symbol, decimals, total_supply, standard, status)
         values ($1, 'River Coin', 'RIV', 18, 1500000000000000000, 20, 'answered'),
           ($2, 'Unlogged River', 'UNL', 18, 1, 20, 'answered')`,
        [other, '99'.repeat(20)],
      )
      for (const text of ['riv', 'River', 'coin%20river']) {
        const { data: hits } = await api.json<{ data: Hit[] }>(`/flow/evm/search?q=${text}`)
        expect(
          hits.map(({ type, address }) => [type, address]),
          text,
        ).to.deep.equal([['token', `0x${other}`]])
      }
      expect((await api.json<{ data: Hit[] }>('/flow/evm/search?q=%2E')).data).to.deep.equal([])
      const {
        data: [river],
      } = await api.json<{ data: EvmToken[] }>(`/flow/evm/token/0x${other}`)
      expect(river).to.include({ name: 'River Coin', decimals: 18, detected_type: 'ERC-20' })
      await database.pool.query(`
        insert into app.account_labels (address, tag, label, category)
        values ('0x${moss}', 'swamp', 'Swamp', 'custom'), ('0x${moss}', 'moor', 'Moor', 'custom')`)
      const {
        data: [labelled],
      } = await api.json<{ data: Record<string, unknown>[] }>(`/flow/evm/address/0x${moss}`)
      expect(labelled?.['name'], 'the first of its labels').to.equal('Moor')
    } finally {
      await api.stop()
      await database.drop()
    }
  })
})
