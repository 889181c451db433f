import { expect } from 'chai'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { contactEndpoints, maxContacts } from '../../src/wallet/account/contacts.ts'
import { deletePasskeys } from '../../src/wallet/passkeys/passkey-store.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { dataOf, PasskeyWorld } from './support/passkey-world.ts'
import type { Envelope, TestUser } from './support/passkey-world.ts'

const address = '0x1d7e57aa55817448'

interface Listed {
  readonly name: string
  readonly address: string
}
interface Added {
  readonly contact: Listed & { readonly id: string }
}

describe('contacts', () => {
  let world: PasskeyWorld
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase({ max: 20 })
    const endpoints = contactEndpoints(database.pool, { lockUser: () => Promise.resolve(true) })
    world = await PasskeyWorld.create({ database, endpoints })
  })
  after(async () => {
    await world.stop()
    await database.drop()
  })

  const add = async ({ token }: TestUser, name: unknown, to: unknown = address): Promise<Envelope<Added>> =>
    world.call<Added>('/wallet/contacts-add', { name, address: to }, { token })
  const list = async ({ token }: TestUser): Promise<readonly Listed[]> =>
    dataOf(await world.call<{ contacts: readonly Listed[] }>('/wallet/contacts', {}, { token })).contacts

  it('belong to one user, who adds and deletes them', async () => {
    const [ada, eve] = [world.testUser(), world.testUser()]
    const { contact } = dataOf(await add(ada, 'Bob'))
    await add(ada, 'EVM', `0x${'AB'.repeat(20)}`)
    expect((await list(ada)).map((one) => [one.name, one.address])).to.deep.equal([
      ['Bob', address],
      ['EVM', `0x${'ab'.repeat(20)}`],
    ])
    expect(await list(eve)).to.deep.equal([])
    const remove = async ({ token }: TestUser): Promise<boolean> =>
      dataOf(await world.call<{ removed: boolean }>('/wallet/contacts-remove', { id: contact.id }, { token })).removed
    expect([await remove(eve), await remove(ada), await remove(ada)]).to.deep.equal([false, true, false])
    expect(await list(ada)).to.have.length(1)
    await withTransaction(database.pool, (client) => deletePasskeys(client, ada.user.id))
    expect(await list(ada)).to.deep.equal([])
  })

  it('are never changed, so a known name cannot come to mean another address', async () => {
    const ada = world.testUser()
    await add(ada, 'Bob')
    const again = await add(ada, 'bob', '0xf233dcee88fe0abe')
    expect(!again.success && again.error.code).to.equal('CONTACT_EXISTS')
    expect((await list(ada)).map((one) => one.address)).to.deep.equal([address])
  })

  it('refuse wrong addresses and names', async () => {
    const ada = world.testUser()
    for (const [name, to] of [
      ['', address],
      ['x'.repeat(101), address],
      ['a\u0000b', address],
      ['Bob', '0x1d7e57aa55817449'],
      ['Bob', '0x1'],
      ['Bob', `0x${'a'.repeat(39)}`],
      [['Bob'], address],
    ] as const) {
      const answer = await add(ada, name, to)
      expect(!answer.success && answer.error.code, `${String(name)} ${to}`).to.equal('INVALID_INPUT')
    }
  })

  it('are limited per user, also under concurrency', async () => {
    const ada = world.testUser()
    await database.pool.query(
      `insert into wallet.contacts (user_id, name, address) select $1, 'n' || i, $2 from generate_series(1, $3) as i`,
      [ada.user.id, address, maxContacts - 2],
    )
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => add(ada, `more ${i}`)))
    expect(answers.filter(({ success }) => success)).to.have.length(2)
    expect(await list(ada)).to.have.length(maxContacts)
  })
})
