import { expect } from 'chai'
import type { DecodedTransaction } from '../decoded-block.ts'
import type { PayloadFields } from '../payload-value.ts'
import { readTokenMoves } from './read-token-moves.ts'
import type { TokenMoves } from './token-moves.ts'

const [alice, bob] = ['0x00000000000000a1', '0x00000000000000b0']
const flowFees = '0xf919ee77447b7497'
const flow = 'A.1654653399040a61.FlowToken'
const usd = 'A.b19436aae4d94622.FiatToken'
const topShot = 'A.0b2a3299cc857e29.TopShot'

type Event = readonly [type: string, fields: PayloadFields | undefined]

function read(...events: readonly Event[]): TokenMoves {
  return readWithScript('', ...events)
}

function readWithScript(script: string, ...events: readonly Event[]): TokenMoves {
  const transaction: DecodedTransaction = {
    index: 0, id: Buffer.alloc(32), isSystem: false, payer: alice, proposer: alice, authorizers: [alice],
    scriptHash: Buffer.alloc(32), script, statusCode: 0, isEvm: false, gasUsed: 0n,
    events: events.map(([type, fields], index) => ({ type, index, fields })),
  }
  return readTokenMoves(transaction, 'mainnet')
}

function brief({ fungible, nonFungible }: TokenMoves): string[] {
  return [
    ...fungible.map(
      ({ token, from = '-', to = '-', amount, type }) => `${token} ${from} ${to} ${Number(amount)} ${type}`,
    ),
    ...nonFungible.map(({ token, id, from = '-', to = '-', type }) => `${token} #${id} ${from} ${to} ${type}`),
  ]
}

const withdrawn = (vaultType: string, fields: PayloadFields): Event => [
  'A.f233dcee88fe0abe.FungibleToken.Withdrawn',
  { type: vaultType, fromUUID: '1', withdrawnUUID: '2', balanceAfter: '0.00000000', ...fields },
]
const deposited = (vaultType: string, fields: PayloadFields): Event => [
  'A.f233dcee88fe0abe.FungibleToken.Deposited',
  { type: vaultType, toUUID: '3', depositedUUID: '2', balanceAfter: '9.00000000', ...fields },
]

describe('readTokenMoves', () => {
  it('counts once what the standard and the contract itself tell', () => {
    const moves = read(
      [`${flow}.TokensWithdrawn`, { amount: '1.00000000', from: alice }],
      withdrawn(`${flow}.Vault`, { amount: '1.00000000', from: alice }),
      [`${flow}.TokensDeposited`, { amount: '1.00000000', to: bob }],
      deposited(`${flow}.Vault`, { amount: '1.00000000', to: bob }),
    )
    expect(brief(moves)).to.deep.equal([`${flow} ${alice} ${bob} 1 transfer`])
    expect(moves.changes).to.deep.equal([])
  })

  it('takes a contract at its own word where the standard is silent, as before Cadence 1.0', () => {
    const moves = read(
      [`${usd}.TokensWithdrawn`, { amount: '1.00000000', from: alice }],
      [`${usd}.TokensDeposited`, { amount: '1.00000000', to: bob }],
      [`${topShot}.Withdraw`, { id: '7', from: alice }],
      [`${topShot}.Deposit`, { id: '7', to: bob }],
      [`${flow}.TokensWithdrawn`, { amount: '0.00001000', from: alice }],
      [`${flow}.TokensDeposited`, { amount: '0.00001000', to: flowFees }],
      ['A.f919ee77447b7497.FlowFees.TokensDeposited', { amount: '0.00001000' }],
    )
    expect(brief(moves)).to.deep.equal([
      `${usd} ${alice} ${bob} 1 transfer`, `${flow} ${alice} ${flowFees} 0.00001 fee`,
      `${topShot} #7 ${alice} ${bob} transfer`,
    ])
    expect(moves.changes.map(({ token, address, units }) => `${token} ${address} ${units}`)).to.deep.equal([
      `${usd} ${alice} -100000000`, `${usd} ${bob} 100000000`, `${flow} ${alice} -1000`, `${flow} ${flowFees} 1000`,
    ])
    expect(moves.problems).to.deep.equal([])
  })

  it('lets mint and burn events only say why', () => {
    expect(brief(read(
      [`${usd}.TokensMinted`, { amount: '5.00000000' }],
      deposited(`${usd}.Vault`, { amount: '5.00000000', to: bob }),
    ))).to.deep.equal([`${usd} - ${bob} 5 mint`])
    expect(brief(read(
      withdrawn(`${usd}.Vault`, { amount: '5.00000000', from: alice }),
      withdrawn(`${usd}.Vault`, { amount: '4.00000000', from: alice, withdrawnUUID: '8' }),
      [`${usd}.TokensBurned`, { amount: '5.00000000' }],
    ))).to.deep.equal([`${usd} ${alice} - 5 burn`, `${usd} ${alice} - 4 withdrawal`])
  })

  it('takes FLOW that did not arrive for burned where the script can burn, and no event tells more of it', () => {
    const script = 'import Burner from 0xf233dcee88fe0abe\ntransaction {}'
    const flowLeft = withdrawn(`${flow}.Vault`, { amount: '5.00000000', from: alice })
    expect(brief(readWithScript(script, flowLeft))).to.deep.equal([`${flow} ${alice} - 5 burn`])
    for (const other of ['// import Burner from 0xf233dcee88fe0abe', 'import Burner from 0xa1']) {
      expect(brief(readWithScript(other, flowLeft)), other).to.deep.equal([`${flow} ${alice} - 5 withdrawal`])
    }
    const burned: Event = [
      'A.f233dcee88fe0abe.FungibleToken.Burned', { type: `${usd}.Vault`, amount: '1.00000000', fromUUID: '8' },
    ]
    expect(brief(readWithScript(
      script, withdrawn(`${usd}.Vault`, { amount: '5.00000000', from: alice }),
      withdrawn(`${usd}.Vault`, { amount: '1.00000000', from: alice, withdrawnUUID: '8' }), burned,
    ))).to.deep.equal([`${usd} ${alice} - 5 withdrawal`, `${usd} ${alice} - 1 burn`])
  })

  it('names a mint and a burn of items by what the collection says', () => {
    const place = { type: `${topShot}.NFT`, id: '7', uuid: '9' }
    expect(brief(read(
      [`${topShot}.MomentMinted`, { momentID: '7' }],
      ['A.1d7e57aa55817448.NonFungibleToken.Deposited', { ...place, to: bob, collectionUUID: '1' }],
    ))).to.deep.equal([`${topShot} #7 - ${bob} mint`])
    expect(brief(read(
      ['A.1d7e57aa55817448.NonFungibleToken.Withdrawn', { ...place, from: bob, providerUUID: '1' }],
      [`${topShot}.MomentDestroyed`, { id: '7' }],
    ))).to.deep.equal([`${topShot} #7 ${bob} - burn`])
  })

  it('tells the fee from a transfer of the same amount to the same account', () => {
    const moves = read(
      withdrawn(`${flow}.Vault`, { amount: '0.00001000', from: alice }),
      deposited(`${flow}.Vault`, { amount: '0.00001000', to: flowFees }),
      withdrawn(`${flow}.Vault`, { amount: '0.00001000', from: alice, withdrawnUUID: '4' }),
      deposited(`${flow}.Vault`, { amount: '0.00001000', to: flowFees, depositedUUID: '4' }),
      ['A.f919ee77447b7497.FlowFees.FeesDeducted', { amount: '0.00001000' }],
    )
    expect(moves.fungible.map(({ type }) => type)).to.deep.equal(['transfer', 'fee'])
  })

  it('looks for the fee right before the words of it, and nowhere else', () => {
    const fee: Event = ['A.f919ee77447b7497.FlowFees.FeesDeducted', { amount: '1.00000000' }]
    const pay = (amount: string, vault: string): Event[] => [
      withdrawn(`${flow}.Vault`, { amount, from: alice, withdrawnUUID: vault }),
      deposited(`${flow}.Vault`, { amount, to: flowFees, depositedUUID: vault }),
    ]
    const typesOf = (...events: Event[]): string[] => read(...events).fungible.map(({ type }) => type)
    expect(typesOf(...pay('1.00000000', '4'), fee, ...pay('1.00000000', '5'))).to.deep.equal(['fee', 'transfer'])
    expect(typesOf(...pay('1.00000000', '4'), ...pay('2.00000000', '5'), fee)).to.deep.equal(['transfer', 'transfer'])
  })

  it('keeps the kinds of vaults of one contract apart', () => {
    const moves = read(deposited(`${usd}.Vault`, { amount: '1.00000000', to: bob }), deposited(`${usd}.Escrow`, {
      amount: '2.00000000', to: bob, toUUID: '5', depositedUUID: '6',
    }))
    expect(moves.fungible.map(({ token }) => token)).to.deep.equal([usd, `${usd}.Escrow`])
  })

  it('passes over what others emit under the same names', () => {
    const moves = read(
      ['A.f919ee77447b7497.FlowFees.TokensDeposited', { amount: '1.00000000' }],
      ['A.00000000000000d1.Vesting.TokensDeposited', { amount: '1.00000000', to: bob, schedule: '7' }],
      ['A.00000000000000d1.Bank.Deposit', { amount: '1.00000000', to: bob }],
      ['A.00000000000000d1.FungibleToken.Deposited', { type: `${flow}.Vault`, amount: '1.00000000', to: bob }],
    )
    expect(brief(moves)).to.deep.equal([])
    expect(moves.problems).to.deep.equal([])
  })

  it('makes a problem of a standard event of another shape, and never a row', () => {
    const good: PayloadFields = {
      type: `${flow}.Vault`, amount: '1.00000000', to: bob, toUUID: '3', depositedUUID: '2', balanceAfter: '9.00000000',
    }
    const bad: PayloadFields[] = [
      { type: 'Vault' }, { type: null }, { amount: '1' }, { amount: '-1.00000000' }, { amount: null },
      { to: '0x1' }, { to: [] }, { toUUID: 'x' }, { toUUID: '' }, { depositedUUID: '9223372036854775808' },
      { balanceAfter: true },
    ]
    for (const fields of bad) {
      const moves = read(['A.f233dcee88fe0abe.FungibleToken.Deposited', { ...good, ...fields }])
      expect(brief(moves), JSON.stringify(fields)).to.deep.equal([])
      expect(moves.vaults).to.deep.equal([])
      expect(moves.problems.map(({ code, eventIndex, eventType }) => [code, eventIndex, eventType])).to.deep.equal([
        ['token-event-shape', 0, 'A.f233dcee88fe0abe.FungibleToken.Deposited'],
      ])
    }
    expect(brief(read(['A.f233dcee88fe0abe.FungibleToken.Deposited', undefined]))).to.deep.equal([])
  })
})
