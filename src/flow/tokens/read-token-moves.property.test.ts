import { expect } from 'chai'
import * as fc from 'fast-check'
import { readTokenMoves } from './read-token-moves.ts'
import {
  alice,
  bob,
  carol,
  deposited,
  evmAccount,
  flow,
  transactionOf,
  usd,
  withdrawn,
} from './token-events.test-support.ts'
import type { TestEvent } from './token-events.test-support.ts'
import type { FungibleTransfer, TokenMoves } from './token-moves.ts'
import { ufix64Text, ufix64Units } from './ufix64.ts'

/** Emitter: the standard only, the contract only (before Cadence 1.0), or both. */
type Emitter = 'standard' | 'own' | 'both'

const bridge = '0x1e4aa0b87d10b141'
/** Initial balance of each token. */
const locked = 1_000_000n

interface TestVault {
  readonly uuid: string
  readonly token: string
  owner: string | undefined
  units: bigint
}

/** Vaults of two tokens as on a chain, and the events that operations on them emit. */
class Chain {
  readonly events: TestEvent[] = []
  readonly vaults: TestVault[] = []
  readonly #emitters: Readonly<Record<string, Emitter>>
  #nextUuid = 10

  constructor(emitters: Readonly<Record<string, Emitter>>) {
    this.#emitters = emitters
  }

  vault(token: string, owner: string | undefined, units: bigint): TestVault {
    const vault = { uuid: String(this.#nextUuid++), token, owner, units }
    this.vaults.push(vault)
    return vault
  }

  withdraw(from: TestVault, units: bigint): TestVault {
    from.units -= units
    const made = this.vault(from.token, undefined, units)
    this.#emit(
      from,
      'Withdrawn',
      units,
      withdrawn(`${from.token}.Vault`, {
        amount: ufix64Text(units),
        from: from.owner ?? null,
        fromUUID: from.uuid,
        withdrawnUUID: made.uuid,
        balanceAfter: ufix64Text(from.units),
      }),
    )
    return made
  }

  deposit(given: TestVault, to: TestVault): void {
    to.units += given.units
    this.vaults.splice(this.vaults.indexOf(given), 1)
    this.#emit(
      to,
      'Deposited',
      given.units,
      deposited(`${to.token}.Vault`, {
        amount: ufix64Text(given.units),
        to: to.owner ?? null,
        toUUID: to.uuid,
        depositedUUID: given.uuid,
        balanceAfter: ufix64Text(to.units),
      }),
    )
  }

  mint(token: string, units: bigint): void {
    this.events.push([`${token}.TokensMinted`, { amount: ufix64Text(units) }])
    this.vault(token, undefined, units)
  }

  burn(vault: TestVault): void {
    this.vaults.splice(this.vaults.indexOf(vault), 1)
    this.events.push([`${vault.token}.TokensBurned`, { amount: ufix64Text(vault.units) }])
  }

  toEvm(vault: TestVault): void {
    this.events.push([
      'A.1e4aa0b87d10b141.IFlowEVMTokenBridge.BridgedTokensToEVM',
      {
        type: `${vault.token}.Vault`,
        amount: ufix64Text(vault.units),
        bridgedUUID: vault.uuid,
        to: evmAccount,
        evmContractAddress: evmAccount,
        bridgeAddress: bridge,
      },
    ])
    this.deposit(vault, this.escrow(vault.token))
  }

  fromEvm(token: string, units: bigint): void {
    const made = this.withdraw(this.escrow(token), units)
    this.events.push([
      'A.1e4aa0b87d10b141.IFlowEVMTokenBridge.BridgedTokensFromEVM',
      {
        type: `${token}.Vault`,
        amount: '1',
        bridgedUUID: made.uuid,
        caller: evmAccount,
        evmContractAddress: evmAccount,
        bridgeAddress: bridge,
      },
    ])
  }

  escrow(token: string): TestVault {
    return this.vaults.find((one) => one.token === token && one.owner === bridge) ?? this.vault(token, bridge, locked)
  }

  #emit({ token, owner }: TestVault, what: 'Withdrawn' | 'Deposited', units: bigint, standard: TestEvent): void {
    const emitter = this.#emitters[token]
    const side = what === 'Withdrawn' ? 'from' : 'to'
    const fields = { amount: ufix64Text(units), [side]: owner ?? null }
    if (emitter !== 'standard') this.events.push([`${token}.Tokens${what}`, fields])
    if (emitter !== 'own') this.events.push(standard)
  }
}

interface Step {
  readonly action: 'withdraw' | 'deposit' | 'mint' | 'burn' | 'toEvm' | 'fromEvm'
  readonly token: string
  readonly vault: number
  readonly other: number
  readonly part: number
}

const actions: Array<Step['action']> = [
  'withdraw',
  'withdraw',
  'deposit',
  'deposit',
  'mint',
  'burn',
  'toEvm',
  'fromEvm',
]
const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...actions),
  token: fc.constantFrom(flow, usd),
  vault: fc.nat(50),
  other: fc.nat(50),
  part: fc.nat(100),
})
const emitter = fc.constantFrom<Emitter[]>('standard', 'own', 'both')

function play(chain: Chain, emitters: Readonly<Record<string, Emitter>>, steps: readonly Step[]): void {
  for (const { action, token, vault, other, part } of steps) {
    const ofToken = chain.vaults.filter((one) => one.token === token)
    const moving = ofToken.filter(({ owner }) => owner === undefined)
    const resting = ofToken.filter(({ owner }) => owner !== undefined && owner !== bridge)
    const moved = moving[vault % Math.max(1, moving.length)]
    const all = [...resting, ...moving]
    const target = all[other % all.length] as TestVault
    // Contracts before Cadence 1.0 do not use the bridge.
    const mayCross = emitters[token] !== 'own'
    if (action === 'withdraw') chain.withdraw(target, (target.units * BigInt(part)) / 100n)
    else if (action === 'mint') chain.mint(token, BigInt(part + 1))
    else if (action === 'fromEvm') {
      if (mayCross) chain.fromEvm(token, BigInt(part))
    } else if (moved === undefined || moved === target) continue
    else if (action === 'deposit') chain.deposit(moved, target)
    else if (action === 'burn') chain.burn(moved)
    else if (mayCross) chain.toEvm(moved)
  }
}

function sumOf(transfers: readonly FungibleTransfer[]): bigint {
  return transfers.reduce((sum, { amount }) => sum + ufix64Units(amount), 0n)
}

function amountsOf(events: readonly TestEvent[]): bigint {
  return events.reduce((sum, [, fields]) => sum + ufix64Units(fields?.['amount'] as string), 0n)
}

function gainOf(moves: TokenMoves, token: string, account: string): bigint {
  const ofToken = moves.fungible.filter((transfer) => transfer.token === token)
  return sumOf(ofToken.filter(({ to }) => to === account)) - sumOf(ofToken.filter(({ from }) => from === account))
}

describe('readTokenMoves, for any vault operations', () => {
  it('credits and debits every account for either emitter, in the order of events', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), emitter, emitter, (steps, ofFlow, ofUsd) => {
        const emitters = { [flow]: ofFlow, [usd]: ofUsd }
        const chain = new Chain(emitters)
        for (const token of [flow, usd]) for (const account of [alice, bob, carol]) chain.vault(token, account, 1000n)
        play(chain, emitters, steps)
        const moves = readTokenMoves(transactionOf(chain.events), 'mainnet')
        expect(moves.problems).to.deep.equal([])
        for (const token of [flow, usd]) {
          for (const account of [alice, bob, carol]) {
            const held = chain.vaults.filter((one) => one.token === token && one.owner === account)
            expect(1000n + gainOf(moves, token, account), `${token} ${account}`).to.equal(
              held.reduce((sum, { units }) => sum + units, 0n),
            )
          }
          expect(gainOf(moves, token, bridge)).to.equal(chain.escrow(token).units - locked)
        }
        const positions = moves.fungible.map(({ eventIndex }) => eventIndex)
        expect(positions).to.deep.equal(positions.toSorted((a, b) => a - b))
      }),
      { numRuns: 300 },
    )
  })

  it('conserves amounts: withdrawals equal deposits, burns, retained and bridged tokens, less new tokens', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), emitter, (steps, ofUsd) => {
        const emitters: Readonly<Record<string, Emitter>> = { [flow]: 'both', [usd]: ofUsd }
        const chain = new Chain(emitters)
        for (const token of [flow, usd]) for (const account of [alice, bob, carol]) chain.vault(token, account, 1000n)
        play(chain, emitters, steps)
        const { fungible } = readTokenMoves(transactionOf(chain.events), 'mainnet')
        for (const token of [flow, usd]) {
          const ofToken = fungible.filter((transfer) => transfer.token === token)
          const hasReportedBalance = ([type, fields]: TestEvent): boolean =>
            emitters[token] === 'own'
              ? type === `${token}.TokensWithdrawn`
              : type.endsWith('.FungibleToken.Withdrawn') && fields?.['type'] === `${token}.Vault`
          const left = chain.events.filter((event) => hasReportedBalance(event) && event[1]?.['from'] !== null)
          const ended = ofToken.filter(({ from }) => from?.length === 18)
          expect(sumOf(ended), token).to.equal(amountsOf(left))
          const minted = chain.events.filter(([type]) => type === `${token}.TokensMinted`)
          const appeared = ofToken.filter(({ from, type }) => from === undefined && type !== 'escrow')
          expect(appeared.every(({ type }) => type === 'mint' || type === 'bridge')).to.equal(true)
          expect(sumOf(appeared) <= amountsOf(minted)).to.equal(true)
        }
      }),
      { numRuns: 300 },
    )
  })
})
