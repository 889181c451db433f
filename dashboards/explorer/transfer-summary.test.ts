import { expect } from 'chai'
import type { FungibleSummary, Transaction, EvmExecution, FungibleMove } from './answers.gen.ts'
import type { Sentence, Statement } from './transfer-summary.ts'
import {
  isUserTransaction,
  tellSummary,
  tellError,
  tellEvm,
  tellItems,
  tellTokens,
  tellTrades,
  tellChanges,
} from './transfer-summary.ts'

const token: FungibleSummary = {
  token: 'A.01.Leaf',
  amount: '2.50000000',
  direction: 'transfer',
  counterparty: '0x02',
  symbol: null,
  name: null,
  logo: null,
  usd_price: null,
}
const item = {
  collection: 'A.01.Moss',
  count: 3,
  direction: 'transfer' as const,
  counterparty: '0x02',
  name: null,
  logo: null,
  banner_image: null,
}

const say = (sentence: Sentence | undefined): string | undefined =>
  sentence
    ?.map((piece) => (typeof piece === 'string' ? piece : 'account' in piece ? piece.account : piece.text))
    .join('')

const tell = (
  summary: Transaction['transfer_summary'],
  tags: Transaction['tags'] = [],
  rest: Partial<Transaction> = {},
): string | undefined =>
  say(
    tellSummary({
      authorizers: ['0x01'],
      payer: '0x09',
      tags,
      transfer_summary: summary,
      template_label: '',
      contract_imports: [],
      ...rest,
    }),
  )

describe('what a transaction of a list did', () => {
  it('names who moved what to whom', () => {
    expect(tell({ ft: [token], nft: [] })).to.equal('0x01 moved 2.5 Leaf to 0x02')
    expect(tell({ ft: [token], nft: [item] })).to.equal('0x01 moved 2.5 Leaf and 3 Moss NFTs to 0x02')
    expect(tell({ ft: [token, { ...token, counterparty: '0x03' }, token], nft: [] })).to.equal(
      '0x01 moved 2.5 Leaf, 2.5 Leaf and 1 more',
    )
    expect(tell({ ft: [{ ...token, counterparty: '0x01' }], nft: [] })).to.equal('0x01 got 2.5 Leaf')
  })

  it('says what its tag says', () => {
    expect(tell({ ft: [token], nft: [] }, ['FT_TRANSFER', 'TOKEN_MINT'])).to.equal('0x01 made 2.5 Leaf for 0x02')
    expect(tell({ ft: [{ ...token, counterparty: null }], nft: [] }, ['TOKEN_BURN'])).to.equal('0x01 burned 2.5 Leaf')
    expect(tell({ ft: [token], nft: [] }, ['TOKEN_MINT', 'LIQUIDITY'])).to.equal('0x01 moved 2.5 Leaf to 0x02')
  })

  it('tells an account what it gave and got', () => {
    const given = { ...token, direction: 'out' as const }
    const got = { ...item, direction: 'in' as const, counterparty: '0x03' }
    expect(tell({ ft: [given], nft: [got] })).to.equal('Gave 2.5 Leaf to 0x02, got 3 Moss NFTs from 0x03')
    expect(tell({ ft: [], nft: [got] })).to.equal('Got 3 Moss NFTs from 0x03')
    expect(
      tell({
        ft: [],
        nft: [
          { ...got, count: 1 },
          { ...got, collection: null },
        ],
      }),
    ).to.equal('Got 1 Moss NFT and 3 NFTs from 0x03')
  })

  it('says what was called where nothing was moved, unless its name says more', () => {
    const calls = { contract_imports: ['A.01.Tally', 'A.02.EVM', 'A.02.Moss'] }
    expect(tell({ ft: [], nft: [] }, [], calls)).to.equal('0x01 called Tally, EVM and 1 more')
    expect(tell({ ft: [], nft: [] }, [], { ...calls, template_label: 'Add key' })).to.equal(undefined)
    expect(tell({ ft: [token], nft: [] }, [], calls)).to.equal('0x01 moved 2.5 Leaf to 0x02')
  })

  it('says nothing where nothing was moved, or nothing is known', () => {
    expect(tell(null)).to.equal(undefined)
    expect(tell({ ft: [], nft: [] })).to.equal(undefined)
    expect(tell({ ft: [{ ...token, amount: '0.00000000' }], nft: [] })).to.equal(undefined)
  })

  it('knows what nobody sent', () => {
    expect(
      ['SYSTEM', 'FT_TRANSFER', ''].map((category) => isUserTransaction({ template_category: category })),
    ).to.deep.equal([false, true, true])
  })
})

const move: FungibleMove = {
  token: 'A.0ae53cb6e3f42a79.FlowToken',
  amount: '1200.50000000',
  from_address: '0x01',
  to_address: '0x02',
  event_index: 0,
  leg: 0,
  is_cross_vm: false,
  from_coa_flow_address: null,
  to_coa_flow_address: null,
  transfer_type: 'transfer',
  token_name: null,
  token_symbol: null,
  token_logo: null,
  token_decimals: null,
  approx_usd_price: null,
  usd_value: null,
}

const sayMove = (sentence: Sentence | undefined): string =>
  (sentence ?? [])
    .map((piece) => (typeof piece === 'string' ? piece : 'account' in piece ? piece.account : piece.text))
    .join('')

describe('what a transaction moved', () => {
  it('is told in plain words, with or without both sides', () => {
    expect(sayMove(tellTokens([move])[0]?.said)).to.equal('0x01 sent 1,200.5 FLOW to 0x02')
    expect(sayMove(tellTokens([{ ...move, to_address: null }])[0]?.said)).to.equal('0x01 sent 1,200.5 FLOW')
    expect(
      sayMove(tellTokens([{ ...move, transfer_type: 'mint', from_address: null, token_symbol: 'FLOW' }])[0]?.said),
    ).to.equal('1,200.5 FLOW was made for 0x02')
    expect(sayMove(tellTokens([{ ...move, transfer_type: 'burn', to_address: null }])[0]?.said)).to.equal(
      '0x01 burned 1,200.5 FLOW',
    )
    const item = {
      ...move,
      token_id: '7',
      transfer_type: 'transfer' as const,
      collection_name: 'Moss',
      collection_logo: null,
    }
    expect(sayMove(tellItems([item])[0]?.said)).to.equal('0x01 sent Moss #7 to 0x02')
  })

  it('adds up what went the same way, and says in one sentence what one gave to several', () => {
    const moves = [move, { ...move, amount: '0.00000001' }, { ...move, to_address: '0x03', amount: '9000000000000000' }]
    const [all, ...others] = tellTokens([...moves, { ...move, transfer_type: 'burn', to_address: null }])
    expect(sayMove(all?.said)).to.equal('0x01 sent 9,000,000,000,001,200.50000001 FLOW to 2 accounts')
    expect(all?.details.map(sayMove)).to.deep.equal([
      '0x01 sent 1,200.50000001 FLOW to 0x02',
      '0x01 sent 9,000,000,000,000,000 FLOW to 0x03',
    ])
    expect(others.map(({ said, details }) => [sayMove(said), details])).to.deep.equal([
      ['0x01 burned 1,200.5 FLOW', []],
    ])
    const item = {
      ...move,
      token: 'A.01.Moss',
      transfer_type: 'transfer' as const,
      collection_name: null,
      collection_logo: null,
    }
    const [items] = tellItems(['7', '8'].map((id) => ({ ...item, token_id: id })))
    expect(sayMove(items?.said)).to.equal('0x01 sent 2 Moss to 0x02')
    expect(items?.details.map(sayMove)).to.deep.equal(['0x01 sent #7 to 0x02', '0x01 sent #8 to 0x02'])
  })

  it('names both sides of a trade', () => {
    const trade = {
      event_type: 'Swap',
      event_index: 1,
      pair_id: 'p',
      dex: 'incrementfi',
      maker: '0x03',
      asset0_id: 'A.01.Leaf.Vault',
      asset1_id: null,
      asset0_symbol: null,
      asset1_symbol: 'FLOW',
      asset0_name: null,
      asset1_name: null,
      asset0_logo: null,
      asset1_logo: null,
      asset0_in: '2.00',
      asset0_out: '0.0',
      asset1_in: null,
      asset1_out: '3.1',
    }
    expect(sayMove(tellTrades([trade])[0])).to.equal('0x03 swapped 2 Leaf for 3.1 FLOW at incrementfi')
  })

  it('says what ran in the EVM, and why something failed', () => {
    const execution: EvmExecution = {
      hash: '0x1',
      block_number: 1,
      position: 0,
      event_index: 0,
      timestamp: '2026-01-01T00:00:00.000Z',
      from: '0xa',
      to: '0xb',
      from_meta: null,
      to_meta: null,
      contract_address: null,
      status: 'SUCCESS',
      error_message: null,
      type: 2,
      call_type: null,
      nonce: '1',
      gas_used: '21000',
      gas_limit: null,
      gas_price: null,
      value: '1500000000000000000',
      data: '0x',
      logs: [],
    }
    expect(sayMove(tellEvm([execution])[0])).to.equal('0xa sent 1.5 FLOW to 0xb in the EVM')
    expect(sayMove(tellEvm([{ ...execution, value: '0', data: '0xa9059cbb', status: 'FAILURE' }])[0])).to.equal(
      '0xa called 0xb in the EVM, which failed',
    )
    expect(sayMove(tellEvm([{ ...execution, to: null, contract_address: '0xc' }])[0])).to.equal(
      '0xa made the contract 0xc in the EVM',
    )
    const error =
      '[Error Code: 1009] error caused by: 1 error occurred:\n\t* transaction verification failed: [Error Code: 1006] bad key\n\n'
    expect(tellError(error)).to.equal('transaction verification failed: bad key')
    const ofCadence =
      '[Error Code: 1101] error caused by: 1 error occurred:\n\t* transaction execute failed: cadence runtime error: Execution failed:\nerror: panic: boom\n --> 1fc4:1:61\n'
    expect(tellError(ofCadence)).to.equal('panic: boom')
    expect(tellError('plain')).to.equal('plain')
  })
})

const change = (name: string, payload: unknown, prefix = 'flow'): Parameters<typeof tellChanges>[0][number] => {
  return { type: `${prefix}.${name}`, event_name: name, payload }
}

const sayChange = ({ said, details }: Statement): unknown => {
  const text = said
    .map((piece) => (typeof piece === 'string' ? piece : 'account' in piece ? piece.account : piece.text))
    .join('')
  return details.length === 0 ? text : [text, details.length]
}

describe('what a transaction changed', () => {
  it('is told of accounts, keys and contracts', () => {
    const told = tellChanges([
      change('AccountKeyAdded', { address: '0x01' }),
      change('AccountKeyRemoved', { address: '0x01' }),
      change('AccountContractAdded', { address: '0x01', contract: 'Moss' }),
      change('AccountContractUpdated', { address: '0x01', contract: 'Moss' }),
      change('CadenceOwnedAccountCreated', { address: 'ab' }, 'A.01.EVM'),
      change('CapabilityPublished', { address: '0x01' }),
      change('AccountCreated', { address: '0x02' }, 'A.01.Fake'),
    ])
    expect(told.map(sayChange)).to.deep.equal([
      '0x01 deployed the contract Moss',
      '0x01 updated the contract Moss',
      '0x01 got a new key',
      'A key of 0x01 was revoked',
      'The address 0xab was created in the EVM, for an account to act there',
    ])
    expect(told[0]?.said.at(-1)).to.deep.equal({ contract: 'A.01.Moss', text: 'Moss' })
  })

  it('sums up what happened to several, and does not speak of the keys of a new account', () => {
    const addresses = ['0x01', '0x02']
    const told = tellChanges([
      ...addresses.map((address) => change('AccountCreated', { address })),
      ...addresses.map((address) => change('AccountKeyAdded', { address })),
    ])
    expect(told.map(sayChange)).to.deep.equal([['2 accounts were created', 2]])
  })

  it('is told as far as it is known where an event could not be decoded', () => {
    expect(tellChanges([change('AccountCreated', null)]).map(sayChange)).to.deep.equal(['An account was created'])
    expect(tellChanges([change('AccountContractAdded', { address: 7 })]).map(sayChange)).to.deep.equal([
      'somebody deployed the contract of an unknown name',
    ])
  })
})
