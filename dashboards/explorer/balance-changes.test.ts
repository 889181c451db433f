import { expect } from 'chai'
import type { FungibleMove, NonFungibleMove } from './answers.gen.ts'
import { balanceChanges } from './balance-changes.ts'

const place = {
  event_index: 0,
  leg: 0,
  is_cross_vm: false,
  from_coa_flow_address: null,
  to_coa_flow_address: null,
  transfer_type: 'transfer' as const,
}
const priced = { approx_usd_price: '0.5', usd_as_of: '2026-01-01T00:00:00.000Z' }

function tokens(from: string | null, to: string | null, amount: string, dollars: string | null = null): FungibleMove {
  return {
    ...place,
    token: 'A.01.Moss',
    amount,
    from_address: from,
    to_address: to,
    token_name: null,
    token_symbol: 'MOSS',
    token_logo: null,
    token_decimals: 8,
    ...(dollars === null ? { approx_usd_price: null, usd_as_of: null } : priced),
    usd_value: dollars,
  }
}

function item(from: string | null, to: string | null, id: string): NonFungibleMove {
  return {
    ...place,
    token: 'A.01.Boats',
    token_id: id,
    from_address: from,
    to_address: to,
    collection_name: null,
    collection_logo: null,
    name: null,
    thumbnail: null,
  }
}

const nothing = {
  ft_transfers: [],
  nft_transfers: [],
  fee: '0',
  fee_usd: null,
  fee_usd_as_of: null,
  payer: '0x01',
}

describe('balance changes', () => {
  it('are exact sums by account and token, with their value', () => {
    const moves = [
      tokens('0x01', '0x02', '9007199254740993.00000001', '1.1'),
      tokens('0x02', '0x01', '0.00000002', '0.2'),
      tokens(null, '0x02', '1', '0.5'),
    ]
    const changes = balanceChanges({ ...nothing, ft_transfers: moves })
    expect(
      changes.map(({ account, change }) => [account, change.kind !== 'items' && [change.amount, change.dollars]]),
    ).to.deep.equal([
      ['0x01', ['-9007199254740992.99999999', '-0.9']],
      ['0x02', ['9007199254740993.99999999', '1.4']],
    ])
  })

  it('omit what came back, and have no value without a price', () => {
    const moves = [tokens('0x01', '0x02', '5'), tokens('0x02', '0x01', '5'), tokens('0x03', '0x02', '1')]
    expect(balanceChanges({ ...nothing, ft_transfers: moves })).to.deep.equal(
      [['0x02', '1'] as const, ['0x03', '-1'] as const].map(([account, amount]) => ({
        account,
        change: { kind: 'token', token: 'A.01.Moss', symbol: 'MOSS', amount, dollars: null, pricedAt: null },
      })),
    )
  })

  it('include the fee of the payer', () => {
    const pricedAt = priced.usd_as_of
    const fee = { fee: '0.00001000', fee_usd: '0.000005', fee_usd_as_of: pricedAt }
    expect(balanceChanges({ ...nothing, ...fee })).to.deep.equal([
      { account: '0x01', change: { kind: 'fee', amount: '-0.00001000', dollars: '-0.000005', pricedAt } },
    ])
  })

  it('list gained and lost items', () => {
    const moves = [item('0x01', '0x02', '7'), item(null, '0x02', '8'), item('0x02', '0x03', '8')]
    const items = { kind: 'items', collection: 'A.01.Boats', name: null }
    expect(balanceChanges({ ...nothing, nft_transfers: moves })).to.deep.equal([
      { account: '0x01', change: { ...items, isGain: false, ids: ['7'] } },
      { account: '0x02', change: { ...items, isGain: true, ids: ['7'] } },
      { account: '0x03', change: { ...items, isGain: true, ids: ['8'] } },
    ])
  })
})
