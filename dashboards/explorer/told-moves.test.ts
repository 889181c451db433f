import { expect } from 'chai'
import type { EvmExecution, FungibleMove } from './gen/answers.ts'
import { tellError, tellEvm, tellItems, tellTokens, tellTrades } from './told-moves.ts'
import type { Sentence } from './told-moves.ts'

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

const say = (sentence: Sentence | undefined): string =>
  (sentence ?? [])
    .map((piece) => (typeof piece === 'string' ? piece : 'account' in piece ? piece.account : piece.text))
    .join('')

describe('what a transaction moved', () => {
  it('is told in plain words, with or without both sides', () => {
    expect(say(tellTokens([move])[0]?.said)).to.equal('0x01 sent 1,200.5 FLOW to 0x02')
    expect(say(tellTokens([{ ...move, to_address: null }])[0]?.said)).to.equal('0x01 sent 1,200.5 FLOW')
    expect(
      say(tellTokens([{ ...move, transfer_type: 'mint', from_address: null, token_symbol: 'FLOW' }])[0]?.said),
    ).to.equal('1,200.5 FLOW was made for 0x02')
    expect(say(tellTokens([{ ...move, transfer_type: 'burn', to_address: null }])[0]?.said)).to.equal(
      '0x01 burned 1,200.5 FLOW',
    )
    const item = {
      ...move,
      token_id: '7',
      transfer_type: 'transfer' as const,
      collection_name: 'Moss',
      collection_logo: null,
    }
    expect(say(tellItems([item])[0]?.said)).to.equal('0x01 sent Moss #7 to 0x02')
  })

  it('adds up what went the same way, and says in one sentence what one gave to several', () => {
    const moves = [move, { ...move, amount: '0.00000001' }, { ...move, to_address: '0x03', amount: '9000000000000000' }]
    const [all, ...others] = tellTokens([...moves, { ...move, transfer_type: 'burn', to_address: null }])
    expect(say(all?.said)).to.equal('0x01 sent 9,000,000,000,001,200.50000001 FLOW to 2 accounts')
    expect(all?.details.map(say)).to.deep.equal([
      '0x01 sent 1,200.50000001 FLOW to 0x02',
      '0x01 sent 9,000,000,000,000,000 FLOW to 0x03',
    ])
    expect(others.map(({ said, details }) => [say(said), details])).to.deep.equal([['0x01 burned 1,200.5 FLOW', []]])
    const item = {
      ...move,
      token: 'A.01.Moss',
      transfer_type: 'transfer' as const,
      collection_name: null,
      collection_logo: null,
    }
    const [items] = tellItems(['7', '8'].map((id) => ({ ...item, token_id: id })))
    expect(say(items?.said)).to.equal('0x01 sent 2 Moss to 0x02')
    expect(items?.details.map(say)).to.deep.equal(['0x01 sent #7 to 0x02', '0x01 sent #8 to 0x02'])
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
    expect(say(tellTrades([trade])[0])).to.equal('0x03 swapped 2 Leaf for 3.1 FLOW at incrementfi')
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
    expect(say(tellEvm([execution])[0])).to.equal('0xa sent 1.5 FLOW to 0xb in the EVM')
    expect(say(tellEvm([{ ...execution, value: '0', data: '0xa9059cbb', status: 'FAILURE' }])[0])).to.equal(
      '0xa called 0xb in the EVM, which failed',
    )
    expect(say(tellEvm([{ ...execution, to: null, contract_address: '0xc' }])[0])).to.equal(
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
