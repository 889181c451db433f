import { expect } from 'chai'
import type { EvmExecution, FungibleMove, FungibleSummary, Transaction, TransactionDefiEvent } from './answers.gen.ts'
import type { Sentence, Statement } from './transfer-summary.ts'
import {
  isUserTransaction,
  summarizeTransaction,
  errorCause,
  describeEvmExecutions,
  describeNftTransfers,
  describeTokenTransfers,
  describeTrades,
  describeAccountChanges,
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

const textOf = (sentence: Sentence | undefined): string | undefined =>
  sentence
    ?.map((segment) => (typeof segment === 'string' ? segment : 'account' in segment ? segment.account : segment.text))
    .join('')

const summarize = (
  summary: Transaction['transfer_summary'],
  tags: Transaction['tags'] = [],
  rest: Partial<Transaction> = {},
): string | undefined =>
  textOf(
    summarizeTransaction({
      authorizers: ['0x01'],
      payer: '0x09',
      tags,
      transfer_summary: summary,
      template_label: '',
      contract_imports: [],
      ...rest,
    }),
  )

describe('the summary of a listed transaction', () => {
  it('names sender, assets and receiver', () => {
    expect(summarize({ ft: [token], nft: [] })).to.equal('0x01 transferred 2.5 Leaf to 0x02')
    expect(summarize({ ft: [token], nft: [item] })).to.equal('0x01 transferred 2.5 Leaf and 3 Moss NFTs to 0x02')
    expect(summarize({ ft: [token, { ...token, counterparty: '0x03' }, token], nft: [] })).to.equal(
      '0x01 transferred 2.5 Leaf, 2.5 Leaf and 1 more',
    )
    expect(summarize({ ft: [{ ...token, counterparty: '0x01' }], nft: [] })).to.equal('0x01 received 2.5 Leaf')
  })

  it('takes its verb from the tag', () => {
    expect(summarize({ ft: [token], nft: [] }, ['FT_TRANSFER', 'TOKEN_MINT'])).to.equal('0x01 minted 2.5 Leaf for 0x02')
    expect(summarize({ ft: [{ ...token, counterparty: null }], nft: [] }, ['TOKEN_BURN'])).to.equal(
      '0x01 burned 2.5 Leaf',
    )
    expect(summarize({ ft: [token], nft: [] }, ['TOKEN_MINT', 'LIQUIDITY'])).to.equal(
      '0x01 transferred 2.5 Leaf to 0x02',
    )
  })

  it('lists what an account sent and received', () => {
    const given = { ...token, direction: 'out' as const }
    const got = { ...item, direction: 'in' as const, counterparty: '0x03' }
    expect(summarize({ ft: [given], nft: [got] })).to.equal('Sent 2.5 Leaf to 0x02, received 3 Moss NFTs from 0x03')
    expect(summarize({ ft: [], nft: [got] })).to.equal('Received 3 Moss NFTs from 0x03')
    expect(
      summarize({
        ft: [],
        nft: [
          { ...got, count: 1 },
          { ...got, collection: null },
        ],
      }),
    ).to.equal('Received 1 Moss NFT and 3 NFTs from 0x03')
  })

  it('names the called contracts without transfers, unless there is a label', () => {
    const calls = { contract_imports: ['A.01.Tally', 'A.02.EVM', 'A.02.Moss'] }
    expect(summarize({ ft: [], nft: [] }, [], calls)).to.equal('0x01 called Tally, EVM and 1 more')
    expect(summarize({ ft: [], nft: [] }, [], { ...calls, template_label: 'Add key' })).to.equal(undefined)
    expect(summarize({ ft: [token], nft: [] }, [], calls)).to.equal('0x01 transferred 2.5 Leaf to 0x02')
  })

  it('is undefined without transfers and calls', () => {
    expect(summarize(null)).to.equal(undefined)
    expect(summarize({ ft: [], nft: [] })).to.equal(undefined)
    expect(summarize({ ft: [{ ...token, amount: '0.00000000' }], nft: [] })).to.equal(undefined)
  })

  it('distinguishes system transactions', () => {
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
  usd_as_of: null,
}

describe('statements about transfers', () => {
  it('name the known parties', () => {
    expect(textOf(describeTokenTransfers([move])[0]?.summary)).to.equal('0x01 sent 1,200.5 FLOW to 0x02')
    expect(textOf(describeTokenTransfers([{ ...move, to_address: null }])[0]?.summary)).to.equal(
      '0x01 sent 1,200.5 FLOW',
    )
    expect(
      textOf(
        describeTokenTransfers([{ ...move, transfer_type: 'mint', from_address: null, token_symbol: 'FLOW' }])[0]
          ?.summary,
      ),
    ).to.equal('1,200.5 FLOW was minted for 0x02')
    expect(textOf(describeTokenTransfers([{ ...move, transfer_type: 'burn', to_address: null }])[0]?.summary)).to.equal(
      '0x01 burned 1,200.5 FLOW',
    )
    const item = {
      ...move,
      token_id: '7',
      transfer_type: 'transfer' as const,
      collection_name: 'Moss',
      collection_logo: null,
      name: null,
      thumbnail: null,
    }
    expect(textOf(describeNftTransfers([item])[0]?.summary)).to.equal('0x01 sent Moss #7 to 0x02')
  })

  it('add up transfers and group them by sender', () => {
    const moves = [move, { ...move, amount: '0.00000001' }, { ...move, to_address: '0x03', amount: '9000000000000000' }]
    const [all, ...others] = describeTokenTransfers([...moves, { ...move, transfer_type: 'burn', to_address: null }])
    expect(textOf(all?.summary)).to.equal('0x01 sent 9,000,000,000,001,200.50000001 FLOW to 2 accounts')
    expect(all?.details.map(textOf)).to.deep.equal([
      '0x01 sent 1,200.50000001 FLOW to 0x02',
      '0x01 sent 9,000,000,000,000,000 FLOW to 0x03',
    ])
    expect(others.map(({ summary, details }) => [textOf(summary), details])).to.deep.equal([
      ['0x01 burned 1,200.5 FLOW', []],
    ])
    const item = {
      ...move,
      token: 'A.01.Moss',
      transfer_type: 'transfer' as const,
      collection_name: null,
      collection_logo: null,
      name: null,
      thumbnail: null,
    }
    const [items] = describeNftTransfers(['7', '8'].map((id) => ({ ...item, token_id: id })))
    expect(textOf(items?.summary)).to.equal('0x01 sent 2 Moss to 0x02')
    expect(items?.details.map(textOf)).to.deep.equal(['0x01 sent #7 to 0x02', '0x01 sent #8 to 0x02'])
  })

  it('have a value if every price is known', () => {
    const priced = { ...move, usd_value: '600.255' }
    const [first] = describeTokenTransfers([priced, { ...priced, usd_value: '0.1' }])
    expect(first?.summary[2]).to.deep.equal({ token: move.token, text: '2,401 FLOW', dollars: '$600.36' })
    const [second] = describeTokenTransfers([priced, move])
    expect(second?.summary[2]).to.deep.equal({ token: move.token, text: '2,401 FLOW', dollars: undefined })
  })

  it('describe EVM executions and the cause of an error', () => {
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
    expect(textOf(describeEvmExecutions([execution])[0])).to.equal('0xa sent 1.5 FLOW to 0xb in the EVM')
    expect(
      textOf(describeEvmExecutions([{ ...execution, value: '0', data: '0xa9059cbb', status: 'FAILURE' }])[0]),
    ).to.equal('0xa called 0xb in the EVM (failed)')
    expect(textOf(describeEvmExecutions([{ ...execution, to: null, contract_address: '0xc' }])[0])).to.equal(
      '0xa deployed the contract 0xc in the EVM',
    )
    const error =
      '[Error Code: 1009] error caused by: 1 error occurred:\n' +
      '\t* transaction verification failed: [Error Code: 1006] bad key\n\n'
    expect(errorCause(error)).to.equal('transaction verification failed: bad key')
    const cadenceError =
      '[Error Code: 1101] error caused by: 1 error occurred:\n' +
      '\t* transaction execute failed: cadence runtime error: Execution failed:\n' +
      'error: panic: boom\n --> 1fc4:1:61\n'
    expect(errorCause(cadenceError)).to.equal('panic: boom')
    expect(errorCause('plain')).to.equal('plain')
  })
})

const pools = ['00000000000000a1', '00000000000000a2'] as const
const trade: TransactionDefiEvent = {
  event_type: 'Swap',
  event_index: 1,
  pair_id: `A.${pools[0]}.SwapPair`,
  dex: 'incrementfi',
  maker: '0x03',
  asset0_id: 'A.01.Leaf',
  asset1_id: 'A.01.Moss',
  asset0_symbol: null,
  asset1_symbol: null,
  asset0_name: null,
  asset1_name: null,
  asset0_logo: null,
  asset1_logo: null,
  asset0_in: '2.00',
  asset0_out: '0.0',
  asset1_in: null,
  asset1_out: '3.1',
}
const next = {
  ...trade,
  pair_id: `A.0000000000000009.Pools.${pools[1]}`,
  maker: null,
  asset0_id: 'A.01.Moss',
  asset0_in: '3.10',
  asset1_id: 'A.01.Fern',
  asset1_out: '7',
}
const moveOf = (token: string, amount: string, from: string | null, to: string | null): FungibleMove => {
  return { ...move, token, amount, from_address: from, to_address: to }
}

describe('statements about trades', () => {
  const moves = [
    moveOf('A.01.Leaf', '2.00000000', '0x03', `0x${pools[0]}`),
    moveOf('A.01.Moss', '3.10000000', `0x${pools[0]}`, `0x${pools[1]}`),
    moveOf('A.01.Fern', '7.00000000', `0x${pools[1]}`, '0x03'),
  ]

  it('name both sides and contain the transfers of the pair', () => {
    const { statements, others } = describeTrades([trade], moves.slice(0, 2))
    expect(statements.map(({ summary }) => textOf(summary))).to.deep.equal([
      '0x03 swapped 2 Leaf for 3.1 Moss on incrementfi',
    ])
    expect(statements[0]?.details.map(textOf)).to.deep.equal([
      '0x03 sent 2 Leaf to 0x00000000000000a1',
      '0x00000000000000a1 sent 3.1 Moss to 0x00000000000000a2',
    ])
    expect(others).to.deep.equal([])
  })

  it('join swaps that continue each other', () => {
    const { statements, others } = describeTrades([trade, next], moves)
    expect(statements.map(({ summary }) => textOf(summary))).to.deep.equal([
      '0x03 swapped 2 Leaf for 7 Fern on incrementfi, through 2 pools',
    ])
    expect(statements[0]?.details.map(textOf).slice(0, 2)).to.deep.equal([
      '0x03 swapped 2 Leaf for 3.1 Moss on incrementfi',
      'An unknown account swapped 3.1 Moss for 7 Fern on incrementfi',
    ])
    expect([statements[0]?.details.length, others]).to.deep.equal([5, []])
  })

  it('keep other transfers and unrelated swaps apart', () => {
    const apart = [
      moveOf('A.01.Leaf', '2.00000000', '0x03', '0x04'),
      moveOf('A.01.Leaf', '2.5', '0x03', `0x${pools[0]}`),
      moveOf('A.01.Fern', '2', '0x03', `0x${pools[0]}`),
    ]
    const { statements, others } = describeTrades([trade, { ...next, asset0_in: '3.2' }], apart)
    expect([statements.length, others]).to.deep.equal([2, apart])
  })

  it('include liquidity, and transfers whose other side is unknown', () => {
    const added = { ...trade, event_type: 'AddLiquidity', asset1_in: '3', asset1_out: null }
    const made = [moveOf('A.01.Leaf', '2', '0x03', null), moveOf('A.01.Moss', '3', '0x03', null)]
    const { statements, others } = describeTrades([added, { ...trade, event_type: 'Flashloan' }], made)
    expect(statements.map(({ summary }) => textOf(summary))).to.deep.equal([
      '0x03 added 2 Leaf and 3 Moss to a pool on incrementfi',
    ])
    expect(others).to.deep.equal([])
  })
})

const change = (
  name: string,
  payload: unknown,
  prefix = 'flow',
): Parameters<typeof describeAccountChanges>[0][number] => {
  return { type: `${prefix}.${name}`, event_name: name, payload }
}

const statementText = ({ summary, details }: Statement): unknown => {
  const text = textOf(summary)
  return details.length === 0 ? text : [text, details.length]
}

describe('statements about accounts', () => {
  it('cover accounts, keys and contracts', () => {
    const changes = describeAccountChanges([
      change('AccountKeyAdded', { address: '0x01' }),
      change('AccountKeyRemoved', { address: '0x01' }),
      change('AccountContractAdded', { address: '0x01', contract: 'Moss' }),
      change('AccountContractUpdated', { address: '0x01', contract: 'Moss' }),
      change('CadenceOwnedAccountCreated', { address: 'ab' }, 'A.01.EVM'),
      change('CapabilityPublished', { address: '0x01' }),
      change('AccountCreated', { address: '0x02' }, 'A.01.Fake'),
    ])
    expect(changes.map(statementText)).to.deep.equal([
      '0x01 deployed the contract Moss',
      '0x01 updated the contract Moss',
      'A key was added to 0x01',
      'A key of 0x01 was revoked',
      'The Cadence-owned EVM account 0xab was created',
    ])
    expect(changes[0]?.summary.at(-1)).to.deep.equal({ contract: 'A.01.Moss', text: 'Moss' })
  })

  it('sum up several changes and omit the keys of new accounts', () => {
    const addresses = ['0x01', '0x02']
    const changes = describeAccountChanges([
      ...addresses.map((address) => change('AccountCreated', { address })),
      ...addresses.map((address) => change('AccountKeyAdded', { address })),
    ])
    expect(changes.map(statementText)).to.deep.equal([['2 accounts were created', 2]])
  })

  it('are incomplete for undecodable events', () => {
    expect(describeAccountChanges([change('AccountCreated', null)]).map(statementText)).to.deep.equal([
      'An account was created',
    ])
    expect(describeAccountChanges([change('AccountContractAdded', { address: 7 })]).map(statementText)).to.deep.equal([
      'an unknown account deployed the contract with an unknown name',
    ])
  })
})
