import { expect } from 'chai'
import * as fc from 'fast-check'
import { FungibleFlow } from './fungible-flow.ts'
import type { FungibleTransfer } from './token-moves.ts'
import { ufix64Text, ufix64Units } from './ufix64.ts'

const token = 'A.1654653399040a61.FlowToken'
const [alice, bob, carol] = ['0x00000000000000a1', '0x00000000000000b0', '0x00000000000000c0']
const nothingBurnt = (): boolean => false

/** Vaults that report every withdrawal and deposit to a flow, as FungibleToken does. */
class Chain {
  readonly flow = new FungibleFlow()
  readonly balances = new Map<string, bigint>()
  readonly owners = new Map<string, string>()
  #nextUuid = 100
  #eventIndex = 0

  vault(owner: string | undefined, units: bigint, uuid = String(this.#nextUuid++)): string {
    this.balances.set(uuid, units)
    if (owner !== undefined) this.owners.set(uuid, owner)
    return uuid
  }

  withdraw(from: string, units: bigint): string {
    this.balances.set(from, this.balanceOf(from) - units)
    const vault = this.vault(undefined, units)
    this.flow.withdrawn({
      eventIndex: this.#eventIndex++,
      token,
      amount: ufix64Text(units),
      from: this.owners.get(from),
      fromVault: from,
      withdrawnVault: vault,
      balanceAfter: ufix64Text(this.balanceOf(from)),
    })
    return vault
  }

  deposit(vault: string, to: string): void {
    const units = this.balanceOf(vault)
    this.balances.set(to, this.balanceOf(to) + units)
    this.balances.delete(vault)
    this.flow.deposited({
      eventIndex: this.#eventIndex++,
      token,
      amount: ufix64Text(units),
      to: this.owners.get(to),
      toVault: to,
      depositedVault: vault,
      balanceAfter: ufix64Text(this.balanceOf(to)),
    })
  }

  /** This emits no event. */
  store(vault: string, owner: string): void {
    this.owners.set(vault, owner)
  }

  burn(vault: string): void {
    this.flow.burned({ eventIndex: this.#eventIndex++, token, amount: ufix64Text(this.balanceOf(vault)), vault })
    this.balances.delete(vault)
  }

  balanceOf(vault: string): bigint {
    return this.balances.get(vault) ?? 0n
  }

  finish(): readonly FungibleTransfer[] {
    this.flow.finish(nothingBurnt)
    return this.flow.transfers
  }

  get eventCount(): number {
    return this.#eventIndex
  }
}

function brief(transfers: readonly FungibleTransfer[]): string[] {
  return transfers.map(
    ({ from = '-', to = '-', amount, type }) => `${from.slice(-2)} ${to.slice(-2)} ${Number(amount)} ${type}`,
  )
}

const units = (whole: number): bigint => BigInt(whole) * 100_000_000n

describe('FungibleFlow', () => {
  it('follows a split vault', () => {
    const chain = new Chain()
    const purse = chain.withdraw(chain.vault(alice, units(20)), units(20))
    chain.deposit(chain.withdraw(purse, units(5)), chain.vault(bob, 0n))
    chain.deposit(purse, chain.vault(carol, 0n))
    expect(brief(chain.finish())).to.deep.equal(['a1 b0 5 transfer', 'a1 c0 15 transfer'])
  })

  it('tracks several sources of one vault separately, oldest first', () => {
    const chain = new Chain()
    const purse = chain.withdraw(chain.vault(alice, units(9)), units(3))
    chain.deposit(chain.withdraw(chain.vault(bob, units(9)), units(4)), purse)
    const part = chain.withdraw(purse, units(5))
    chain.deposit(part, chain.vault(carol, 0n))
    chain.deposit(purse, chain.vault(alice, 0n))
    expect(brief(chain.finish())).to.deep.equal(['a1 c0 3 transfer', 'b0 c0 2 transfer', 'b0 a1 2 transfer'])
  })

  it('accepts uuid 0', () => {
    const chain = new Chain()
    chain.deposit(chain.withdraw(chain.vault(alice, units(5), '0'), units(2)), chain.vault(bob, 0n))
    expect(brief(chain.finish())).to.deep.equal(['a1 b0 2 transfer'])
    const state = { token, vault: '0', owner: alice, balance: '3.00000000', eventIndex: 0 }
    expect(chain.flow.vaults()).to.deep.include(state)
  })

  it('reports transfers to oneself and zero transfers', () => {
    const chain = new Chain()
    const vault = chain.vault(alice, units(5))
    chain.deposit(chain.withdraw(vault, units(1)), vault)
    chain.deposit(chain.withdraw(vault, 0n), chain.vault(bob, 0n))
    expect(brief(chain.finish())).to.deep.equal(['a1 a1 1 transfer', 'a1 b0 0 transfer'])
  })

  it('detects that a vault was stored in an account when the account uses it', () => {
    const chain = new Chain()
    const purse = chain.withdraw(chain.vault(alice, units(9)), units(3))
    chain.store(purse, bob)
    chain.deposit(chain.withdraw(purse, units(1)), chain.vault(carol, 0n))
    expect(brief(chain.finish())).to.deep.equal(['a1 b0 3 transfer', 'b0 c0 1 transfer'])
    const state = { token, vault: purse, owner: bob, balance: '2.00000000', eventIndex: 1 }
    expect(chain.flow.vaults()).to.deep.include(state)
  })

  it('reports burned, retained and new tokens', () => {
    const chain = new Chain()
    chain.burn(chain.withdraw(chain.vault(alice, units(9)), units(1)))
    chain.withdraw(chain.vault(bob, units(9)), units(2))
    chain.deposit(chain.vault(undefined, units(3)), chain.vault(carol, 0n))
    chain.deposit(chain.vault(undefined, 0n), chain.vault(carol, 0n))
    expect(brief(chain.finish())).to.deep.equal(['a1 - 1 burn', '- c0 3 deposit', 'b0 - 2 withdrawal'])
  })

  it('attributes a whole vault to the account in which it was seen before', () => {
    const chain = new Chain()
    const vault = chain.vault(alice, units(9))
    chain.deposit(chain.withdraw(vault, units(1)), chain.vault(bob, 0n))
    chain.owners.delete(vault)
    chain.deposit(vault, chain.vault(carol, 0n))
    expect(brief(chain.finish())).to.deep.equal(['a1 b0 1 transfer', 'a1 c0 8 transfer'])
    const state = chain.flow.vaults().find((one) => one.vault === vault)
    expect(state).to.deep.include({ owner: undefined, balance: '0.00000000' })
  })

  it('tracks state only for vaults that were stored in an account', () => {
    const chain = new Chain()
    const [from, to] = [chain.vault(alice, units(9)), chain.vault(bob, 0n)]
    const purse = chain.withdraw(from, units(3))
    chain.deposit(chain.withdraw(purse, units(1)), to)
    chain.deposit(purse, to)
    expect(chain.flow.vaults().map(({ vault }) => vault)).to.have.members([from, to])
    const stored = chain.withdraw(from, units(4))
    chain.store(stored, carol)
    chain.deposit(chain.withdraw(stored, units(1)), to)
    chain.deposit(stored, to)
    const state = chain.flow.vaults().find(({ vault }) => vault === stored)
    expect(state).to.deep.include({ owner: undefined, balance: '0.00000000' })
  })

  it('reports the EVM side', () => {
    const flow = new FungibleFlow()
    const evm = `0x${'e'.repeat(40)}`
    flow.withdrawn({
      eventIndex: 0,
      token,
      amount: '2.00000000',
      from: alice,
      fromVault: '1',
      withdrawnVault: '2',
      balanceAfter: '0.00000000',
    })
    flow.enteredEvm(1, token, '2.00000000', '2', evm)
    flow.leftEvm(2, token, '1.00000000', '3', evm)
    flow.deposited({
      eventIndex: 3,
      token,
      amount: '1.00000000',
      to: bob,
      toVault: '4',
      depositedVault: '3',
      balanceAfter: '1.00000000',
    })
    flow.finish(nothingBurnt)
    expect(brief(flow.transfers)).to.deep.equal(['a1 ee 2 bridge', 'ee b0 1 bridge'])
  })

  it('omits the EVM side of tokens that left and did not arrive, or that were returned', () => {
    const [evm, other, amount] = [`0x${'e'.repeat(40)}`, `0x${'f'.repeat(40)}`, '2.00000000']
    const flow = new FungibleFlow()
    flow.leftEvm(0, token, amount, '3', evm)
    flow.unlocked(1, token, '5', evm)
    flow.enteredEvm(2, token, amount, '5', other)
    flow.deposited({
      eventIndex: 3,
      token,
      amount,
      to: carol,
      toVault: '6',
      depositedVault: '5',
      balanceAfter: '9.00000000',
    })
    flow.finish(nothingBurnt)
    expect(brief(flow.transfers)).to.have.members(['ee - 2 bridge', 'ee ff 2 bridge', '- c0 2 escrow'])
  })

  it('attributes tokens that were in a vault besides those received here', () => {
    const chain = new Chain()
    const vault = chain.vault(alice, units(5))
    chain.deposit(chain.withdraw(vault, units(1)), chain.vault(bob, 0n))
    chain.owners.delete(vault)
    chain.deposit(chain.withdraw(chain.vault(bob, units(3)), units(3)), vault)
    chain.deposit(vault, chain.vault(carol, 0n))
    expect(brief(chain.finish())).to.deep.equal(['a1 b0 1 transfer', 'b0 c0 3 transfer', 'a1 c0 4 transfer'])
  })

  it('ignores moves within one account', () => {
    const chain = new Chain()
    const purse = chain.withdraw(chain.vault(alice, units(9)), units(3))
    chain.store(purse, alice)
    chain.deposit(chain.withdraw(purse, units(1)), chain.vault(carol, 0n))
    expect(brief(chain.finish())).to.deep.equal(['a1 c0 1 transfer'])
  })

  it('conserves amounts and has the balance of every vault', () => {
    const step = fc.record({ action: fc.nat(4), vault: fc.nat(), other: fc.nat(), part: fc.nat(100) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const chain = new Chain()
        const accounts = [alice, bob, carol]
        for (const account of accounts) chain.vault(account, units(1000))
        const atRest = (): string[] => [...chain.balances.keys()].filter((vault) => chain.owners.has(vault))
        const onTheWay = (): string[] => [...chain.balances.keys()].filter((vault) => !chain.owners.has(vault))
        const pick = (from: readonly string[], by: number): string | undefined => from[by % Math.max(1, from.length)]
        for (const { action, vault, other, part } of steps) {
          const from = pick(action % 2 === 0 ? atRest() : onTheWay(), vault)
          if (from === undefined) continue
          if (action < 2) chain.withdraw(from, (chain.balanceOf(from) * BigInt(part)) / 100n)
          const moved = pick(onTheWay(), vault)
          const to = pick(action === 3 ? onTheWay() : atRest(), other)
          if (action >= 2 && moved !== undefined && to !== undefined && moved !== to) chain.deposit(moved, to)
          if (action === 4 && moved !== undefined && chain.balances.has(moved)) chain.burn(moved)
        }
        const transfers = chain.finish()
        for (const account of accounts) {
          const net = transfers.reduce(
            (sum, { from, to, amount }) =>
              sum + (to === account ? ufix64Units(amount) : 0n) - (from === account ? ufix64Units(amount) : 0n),
            0n,
          )
          const vaults = atRest().filter((vault) => chain.owners.get(vault) === account)
          expect(units(1000) + net).to.equal(vaults.reduce((sum, vault) => sum + chain.balanceOf(vault), 0n))
        }
        const made = transfers.filter(({ from }) => from === undefined)
        expect(made, 'everything came from an account').to.deep.equal([])
        expect(transfers.every(({ eventIndex }) => eventIndex < chain.eventCount)).to.equal(true)
        for (const { vault, owner, balance } of chain.flow.vaults()) {
          expect(owner).to.equal(chain.owners.get(vault))
          expect(balance).to.equal(ufix64Text(chain.balanceOf(vault)))
        }
      }),
    )
  })
})
