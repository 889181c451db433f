import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import type { Authenticate } from '../../../src/platform/auth/authenticate.ts'
import { deleteUserData } from '../../../src/services.ts'
import { lockUser } from '../../../src/wallet/auth/auth-sessions.ts'
import { Random } from '../../simulation/random.ts'
import { untilLockWait } from '../../support/lock-wait.ts'
import { runAuth, signIn } from '../../wallet/auth/support/running-auth.ts'
import type { RunningAuth } from '../../wallet/auth/support/running-auth.ts'
import { file, dataOf, ProjectWorld } from './support/project-world.ts'
import type { SaveResult } from './support/project-world.ts'

describe('projects of deleted users', () => {
  let world: ProjectWorld
  let auth: RunningAuth
  before(async () => {
    const authenticate: Authenticate = async (token) => ({ userId: (await auth.sessions.authenticate(token)).user.id })
    world = await ProjectWorld.create({ authenticate, lockUser })
    auth = await runAuth(world.database, { deleteUserData })
  })
  after(async () => {
    await auth.stop()
    await world.stop()
  })

  const remove = async (token: string): Promise<void> => {
    expect((await auth.call('DELETE', '/user', { headers: { Authorization: `Bearer ${token}` } })).status).to.equal(204)
  }
  const ownerless = async (): Promise<readonly unknown[]> =>
    (
      await world.database.pool.query<{ user_id: string; name: string }>(
        `select p.user_id, p.name from projects.projects p where not exists (select from wallet_auth.users u where u.id = p.user_id)
     union all select s.user_id, 'save' from projects.saves s where not exists (select from wallet_auth.users u where u.id = s.user_id)`,
      )
    ).rows

  it('are deleted, also with a concurrent save or copy', async () => {
    const random = new Random(7)
    const otherUser = await signIn(auth, 'stranger@example.com')
    const open = dataOf(
      await world.call<SaveResult>({ token: otherUser.accessToken }, '/projects/save', {
        name: 'Open',
        is_public: true,
        files: [file('a.cdc')],
      }),
    )
    const statuses = new Set<number>()
    for (let turn = 0; turn < 40; turn++) {
      const { accessToken: token } = await signIn(auth, `user-${turn}@example.com`)
      const own = dataOf(
        await world.call<SaveResult>({ token }, '/projects/save', { name: 'First', files: [file('a.cdc')] }),
      )
      const later = async (run: () => Promise<unknown>): Promise<void> => {
        await delay(random.integer(0, 12))
        await run()
      }
      const ask = (endpoint: string, data: unknown) =>
        later(async () => statuses.add((await world.call({ token }, endpoint, data)).status))
      await Promise.all([
        later(() => remove(token)),
        ask('/projects/save', { name: 'Second', save_id: crypto.randomUUID(), files: [file('b.cdc')] }),
        ask('/projects/save', {
          id: own.id,
          version: own.version,
          save_id: crypto.randomUUID(),
          files: [file('c.cdc')],
        }),
        ask('/projects/fork', { slug: open.slug, save_id: crypto.randomUUID() }),
        ask('/projects/fork', { slug: open.slug }),
      ])
    }
    expect(await ownerless()).to.deep.equal([])
    expect([...statuses]).to.include.members([200, 401])
    expect([...statuses].filter((status) => ![200, 401, 404].includes(status))).to.deep.equal([])
  })

  it('cannot be created after the deletion, even in a request that was already authorized', async () => {
    const { accessToken: token, userId } = await signIn(auth, 'late@example.com')
    const { pool } = world.database
    // The request is authorized and waits for the lock of its user.
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`projects of ${userId}`])
      const saving = world.call({ token }, '/projects/save', { name: 'Late', files: [file('a.cdc')] })
      await untilLockWait(world.database)
      await remove(token)
      await client.query('commit')
      const { status, error } = await saving
      expect([status, error.code]).to.deep.equal([401, 'UNAUTHORIZED'])
    } finally {
      client.release()
    }
    expect(await ownerless()).to.deep.equal([])
  })

  it('are managed by the external auth server, if there is one', async () => {
    const elsewhere = await ProjectWorld.create()
    try {
      expect((await elsewhere.save(elsewhere.testUser(), { name: 'Mine', files: [file('a.cdc')] })).version).to.equal(1)
    } finally {
      await elsewhere.stop()
    }
  })
})
