import { expect } from 'chai'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { deletePasskeys } from '../../src/wallet/passkeys/passkey-store.ts'
import {
  maxContracts,
  maxLimits,
  maxPolicies,
  policyEndpoints,
  pruneSpending,
} from '../../src/wallet/account/policies.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { dataOf, PasskeyWorld } from './support/passkey-world.ts'
import type { Envelope, TestUser } from './support/passkey-world.ts'

const origin = 'https://app.example.com'
const usd = 'A.f1ab99c82dee3526.USDCFlow.Vault'
const flowToken = 'A.1654653399040a61.FlowToken'
const policy = { origin, limits: [{ asset: 'FLOW', units: '1000' }], contracts: [], other: 'ask' }

interface Decision {
  readonly decision: string
  readonly left: string | null
}
interface Listed {
  readonly policies: readonly { readonly origin: string; readonly spent: readonly unknown[] }[]
}

describe('limits of applications', () => {
  let world: PasskeyWorld
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase({ max: 20 })
    const endpoints = policyEndpoints(database.pool, { lockUser: () => Promise.resolve(true) })
    world = await PasskeyWorld.create({ database, endpoints })
  })
  after(async () => {
    await world.stop()
    await database.drop()
  })

  const set = ({ token }: TestUser, given: object = {}): Promise<Envelope<unknown>> =>
    world.call('/policies/set', { ...policy, ...given }, { token })
  const list = async ({ token }: TestUser): Promise<Listed['policies']> =>
    dataOf(await world.call<Listed>('/policies/list', {}, { token })).policies
  const ask = async (
    { token }: TestUser,
    spend: object,
    { isCounted = true, network = 'mainnet', app = origin } = {},
  ): Promise<Decision> =>
    dataOf(
      await world.call<Decision>(
        isCounted ? '/policies/count' : '/policies/check',
        { origin: app, network, spend },
        { token },
      ),
    )
  const pay = (units: number, asset = 'FLOW'): object => ({ kind: 'payment', asset, units: String(units) })
  const codeOf = (given: Envelope<unknown>): string => (given.success ? 'saved' : given.error.code)

  it('allow payments up to the limit of the day, per network, and count only what is signed', async () => {
    const ada = world.testUser()
    expect((await ask(ada, pay(5000))).decision).to.equal('none')
    await set(ada)
    expect(await ask(ada, pay(1000), { isCounted: false })).to.include({ decision: 'within', left: '1000' })
    expect(await ask(ada, pay(999))).to.include({ decision: 'within', left: '1000' })
    expect(await ask(ada, pay(2))).to.include({ decision: 'over', left: '1' })
    expect(await ask(ada, pay(1))).to.include({ decision: 'within', left: '1' })
    expect(await ask(ada, pay(1), { isCounted: false })).to.include({ decision: 'over', left: '0' })
    expect(await ask(ada, pay(1000), { network: 'testnet' })).to.include({ decision: 'within' })
    expect(await ask(ada, pay(1000), { app: 'https://other.example.com' })).to.include({ decision: 'none' })
    const [{ spent } = { spent: [] }] = await list(ada)
    expect(spent).to.deep.equal([
      { network: 'mainnet', asset: 'FLOW', units: '1000' },
      { network: 'testnet', asset: 'FLOW', units: '1000' },
    ])
    await database.pool.query('update wallet.app_spending set day = day - 1')
    expect(await ask(ada, pay(1000))).to.include({ decision: 'within', left: '1000' })
  })

  it('are not exceeded by concurrent signatures', async () => {
    const ada = world.testUser()
    await set(ada)
    const decisions = await Promise.all(Array.from({ length: 12 }, () => ask(ada, pay(300))))
    expect(decisions.filter(({ decision }) => decision === 'within')).to.have.length(3)
    expect(decisions.filter(({ decision }) => decision === 'over')).to.have.length(9)
  })

  it('apply their rule to what no limit covers', async () => {
    const ada = world.testUser()
    for (const other of ['ask', 'refuse']) {
      await set(ada, { other })
      for (const spend of [pay(1, usd), { kind: 'known' }, { kind: 'code', contracts: null }])
        expect((await ask(ada, spend)).decision, JSON.stringify(spend)).to.equal(other)
      expect((await ask(ada, { kind: 'nothing' })).decision).to.equal('within')
      expect((await ask(ada, pay(1))).decision).to.equal('within')
    }
  })

  it('refuse other code with other contracts', async () => {
    const ada = world.testUser()
    await set(ada, { other: 'refuse', contracts: [flowToken] })
    const code = async (contracts: readonly string[] | null): Promise<string> =>
      (await ask(ada, { kind: 'code', contracts })).decision
    expect(await code([flowToken])).to.equal('ask')
    expect(await code([])).to.equal('ask')
    expect(await code([flowToken, 'A.1654653399040a61.Other'])).to.equal('refuse')
    expect(await code(null)).to.equal('refuse')
  })

  it('belong to one user, and are deleted with the user', async () => {
    const [ada, eve] = [world.testUser(), world.testUser()]
    await set(ada)
    await ask(ada, pay(1))
    expect(await list(eve)).to.deep.equal([])
    const remove = async ({ token }: TestUser): Promise<unknown> =>
      dataOf(await world.call<{ removed: boolean }>('/policies/remove', { origin }, { token })).removed
    expect([await remove(eve), await remove(ada), await remove(ada)]).to.deep.equal([false, true, false])
    await set(ada)
    // Removing a policy does not reset the day.
    expect(await ask(ada, pay(1000))).to.include({ decision: 'over', left: '999' })
    await withTransaction(database.pool, (client) => deletePasskeys(client, ada.user.id))
    expect(await list(ada)).to.deep.equal([])
    const { rowCount } = await database.pool.query('select from wallet.app_spending where user_id = $1', [ada.user.id])
    expect(rowCount).to.equal(0)
  })

  it('have limits of their own', async () => {
    const ada = world.testUser()
    const hex = (at: number): string => at.toString(16).padStart(16, '0')
    const limits = (count: number): object => ({
      limits: Array.from({ length: count }, (_, at) => ({ asset: `A.${hex(at)}.Token.Vault`, units: '1' })),
    })
    const contracts = (count: number): object => ({
      contracts: Array.from({ length: count }, (_, at) => `A.${hex(at)}.Token`),
    })
    for (const good of [
      limits(maxLimits),
      contracts(maxContracts),
      { limits: [{ asset: 'FLOW', units: String(2n ** 64n - 1n) }] },
    ])
      expect(codeOf(await set(ada, good))).to.equal('saved')
    for (const wrong of [
      limits(maxLimits + 1),
      contracts(maxContracts + 1),
      { limits: [{ asset: 'FLOW', units: String(2n ** 64n) }] },
      { limits: [{ asset: 'FLOW', units: '-1' }] },
      {
        limits: [
          { asset: 'FLOW', units: '1' },
          { asset: 'FLOW', units: '2' },
        ],
      },
      { limits: [{ asset: 'flow', units: '1' }] },
      { origin: 'https://app.example.com/' },
      { origin: 'null' },
      { other: 'approve' },
    ])
      expect(codeOf(await set(ada, wrong)), JSON.stringify(wrong).slice(0, 100)).to.equal('INVALID_INPUT')
    for (let count = 1; count < maxPolicies; count++) await set(ada, { origin: `https://app${count}.example.com` })
    expect(codeOf(await set(ada, { origin: 'https://more.example.com' }))).to.equal('TOO_MANY_POLICIES')
    expect(codeOf(await set(ada))).to.equal('saved')
  })

  it('keep what was spent for 30 days', async () => {
    const ada = world.testUser()
    await set(ada)
    await ask(ada, pay(1))
    const days = async (): Promise<number> => {
      await pruneSpending(database.pool)
      const { rowCount } = await database.pool.query('select from wallet.app_spending where user_id = $1', [
        ada.user.id,
      ])
      return rowCount ?? 0
    }
    await database.pool.query('update wallet.app_spending set day = day - 30 where user_id = $1', [ada.user.id])
    expect(await days()).to.equal(1)
    await database.pool.query('update wallet.app_spending set day = day - 1 where user_id = $1', [ada.user.id])
    expect(await days()).to.equal(0)
  })
})
