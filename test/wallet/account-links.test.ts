import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { listLinkedProjects } from '../../src/editor/github/stores/connection-store.ts'
import { Accounts } from '../../src/platform/auth/accounts.ts'
import { DeveloperKeys } from '../../src/platform/auth/developer-keys.ts'
import { developerEndpoints, newKeyLimit } from '../../src/wallet/account/developer-access.ts'
import { sessionEndpoints } from '../../src/wallet/account/sessions.ts'
import type { Mail } from '../../src/platform/mail/mail-sender.ts'
import { RateLimits } from '../../src/wallet/auth/stores/rate-limits.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { dataOf, PasskeyWorld } from './support/passkey-world.ts'
import type { Envelope, TestUser } from './support/passkey-world.ts'

interface Made {
  readonly text: string
  readonly key: { readonly id: number; readonly name: string; readonly prefix: string }
}

describe('sessions, keys and projects of one user', () => {
  let world: PasskeyWorld
  let database: TestDatabase
  const mails: Mail[] = []
  let isDeleted = false
  before(async () => {
    database = await createTestDatabase({ max: 20 })
    const outbox = { store: async (_: unknown, mail: Mail) => void mails.push(mail), deliver: () => undefined }
    const { pool } = database
    world = await PasskeyWorld.create({
      database,
      endpoints: {
        ...sessionEndpoints(pool),
        ...developerEndpoints({
          pool,
          rates: new RateLimits(pool, pool),
          sessions: { lockUser: () => Promise.resolve(!isDeleted) },
          outbox,
          name: 'flowfarm',
          listProjects: listLinkedProjects,
        }),
      },
    })
  })
  after(async () => {
    await world.stop()
    await database.drop()
  })

  const make = async (owner: TestUser, name: string): Promise<Envelope<Made>> => {
    const confirmation = await world.confirm(owner, { action: 'make-api-key', name })
    return world.call<Made>('/account/keys-make', { name, confirmation }, { token: owner.token })
  }
  const keysOf = async ({ token }: Pick<TestUser, 'token'>): Promise<readonly Made['key'][]> =>
    dataOf(await world.call<{ keys: readonly Made['key'][] }>('/account/keys', {}, { token })).keys

  const addSession = async (userId: string, openedBy: string | null = null): Promise<string> => {
    const id = randomUUID()
    await database.pool.query('insert into wallet_auth.users (id) values ($1) on conflict do nothing', [userId])
    await database.pool.query(
      `insert into wallet_auth.sessions (id, user_id, method, not_after, ip, user_agent, client_id, opened_by)
       values ($1, $2, 'otp', now() + interval '1 day', '192.0.2.7', 'Firefox', $3, $4)`,
      [id, userId, openedBy === null ? null : 'editor', openedBy],
    )
    return id
  }
  const sessionsOf = async ({ token }: Pick<TestUser, 'token'>): Promise<readonly { id: string }[]> =>
    dataOf(await world.call<{ sessions: readonly { id: string }[] }>('/account/sessions', {}, { token })).sessions

  it('lists sessions, and ends one with the programs that it opened', async () => {
    const [owner, other] = [world.testUser(), world.testUser()]
    const [first, second, foreign] = [
      await addSession(owner.user.id),
      await addSession(owner.user.id),
      await addSession(other.user.id),
    ]
    const editor = await addSession(owner.user.id, first)
    expect((await sessionsOf(owner)).map(({ id }) => id)).to.have.members([first, second, editor])
    expect((await sessionsOf(owner)).find(({ id }) => id === editor)).to.include({
      program: 'editor',
      from: '192.0.2.7',
      isCurrent: false,
    })
    const end = (id: string): Promise<Envelope> => world.call('/account/sessions-end', { id }, owner)
    for (const wrong of [foreign, randomUUID()]) expect(await end(wrong)).to.deep.include({ status: 404 })
    expect((await end('x')).status).to.equal(400)
    dataOf(await end(first))
    expect((await sessionsOf(owner)).map(({ id }) => id)).to.deep.equal([second])
    expect((await sessionsOf(other)).map(({ id }) => id)).to.deep.equal([foreign])
    const { rows } = await database.pool.query(
      `select event, detail from wallet_auth.audit_log where user_id = $1 and session_id = $2`,
      [owner.user.id, first],
    )
    expect(rows).to.deep.equal([{ event: 'signed_out', detail: { scope: 'one' } }])
  })

  it('creates keys that a passkey confirmed, mails it, and revokes them', async () => {
    const [owner, other] = [await world.withPasskey(), await world.withPasskey()]
    const { token } = owner
    const bare = await world.call('/account/keys-make', { name: 'Server' }, { token })
    expect(bare.success ? '' : bare.error.code).to.equal('REAUTHENTICATION_REQUIRED')
    for (const change of [
      { action: 'make-api-key', name: 'Other' },
      { action: 'add-passkey' },
      { action: 'delete-user' },
    ]) {
      const confirmation = await world.confirm(owner, change)
      expect((await world.call('/account/keys-make', { name: 'Server', confirmation }, { token })).success).to.equal(
        false,
      )
    }
    expect(await keysOf(owner)).to.deep.equal([])
    mails.length = 0
    const { key, text } = dataOf(await make(owner, 'Server'))
    expect(mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
      [owner.user.email, 'API key created at flowfarm'],
    ])
    expect(await keysOf(owner)).to.have.length(1)
    expect(JSON.stringify(await keysOf(owner))).to.not.include(text)
    expect(await keysOf(other)).to.deep.equal([])
    // The API finds the key, with the account of the same user.
    const found = await new DeveloperKeys(database.pool).find(text)
    expect(found?.ownerId).to.equal(
      (
        await new Accounts({ pool: database.pool, keys: new DeveloperKeys(database.pool), jwtSecret: undefined }).find(
          owner.user.id,
        )
      )?.id,
    )
    const revoke = (from: TestUser, id: number): Promise<Envelope> =>
      world.call('/account/keys-revoke', { id }, { token: from.token })
    expect((await revoke(other, key.id)).status).to.equal(404)
    expect((await revoke(owner, key.id + 1000)).status).to.equal(404)
    dataOf(await revoke(owner, key.id))
    expect(await keysOf(owner)).to.deep.equal([])
    expect(await new DeveloperKeys(database.pool).find(text)).to.equal(undefined)
    const { rows } = await database.pool.query<{ event: string }>(
      'select event from wallet_auth.audit_log where user_id = $1 order by id',
      [owner.user.id],
    )
    expect(rows.map(({ event }) => event)).to.deep.equal(['api_key_made', 'api_key_revoked'])
  })

  it('lets users without a passkey create keys only soon after a sign-in', async () => {
    const owner = world.testUser()
    dataOf(await world.call('/account/keys-make', { name: 'One' }, { token: owner.token }))
    const late = await world.call('/account/keys-make', { name: 'Two' }, { token: world.later(owner, 16).token })
    expect(late.success ? '' : late.error.code).to.equal('REAUTHENTICATION_REQUIRED')
    isDeleted = true
    const deleted = await world.call('/account/keys-make', { name: 'Three' }, { token: owner.token })
    isDeleted = false
    expect(deleted.status).to.equal(401)
    expect(await keysOf(owner)).to.have.length(1)
  })

  it('limits new keys a day, also if old ones are revoked', async () => {
    const owner = world.testUser()
    for (let i = 0; i < newKeyLimit.max; i++) {
      const { key } = dataOf(await world.call<Made>('/account/keys-make', { name: `Key ${i}` }, { token: owner.token }))
      dataOf(await world.call('/account/keys-revoke', { id: key.id }, { token: owner.token }))
    }
    expect((await world.call('/account/keys-make', { name: 'More' }, { token: owner.token })).status).to.equal(429)
    for (const name of ['', 'x'.repeat(101), 'a\u0007'])
      expect((await world.call('/account/keys-make', { name }, { token: owner.token })).status, name).to.equal(400)
  })

  it('lists projects with their repository and deploy keys', async () => {
    const [owner, other] = [world.testUser(), world.testUser()]
    const project = randomUUID()
    await database.pool.query(
      `insert into projects.projects (id, user_id, slug, name, network, is_public, open_files, folders, version,
         file_count, byte_count) values ($1, $2, 'tide', 'Tide', 'testnet', false, '{}', '{}', 1, 0, 0)`,
      [project, owner.user.id],
    )
    await database.pool.query(
      `with c as (insert into editor.connections (project_id, user_id, installation_id, repository_id, owner, repo,
         branch, network, callback_salt) values ($1, $2, 1, 1, 'ada', 'tide', 'main', 'testnet', $3) returning id)
       insert into editor.environments (connection_id, name, branch, network, flow_address, has_secrets)
         select id, 'staging', 'main', 'testnet', '0x1d7e57aa55817448', true from c`,
      [project, owner.user.id, Buffer.alloc(32)],
    )
    const { projects, count } = dataOf(
      await world.call<{ projects: readonly object[]; count: number }>('/account/projects', {}, { token: owner.token }),
    )
    expect(count).to.equal(1)
    expect(projects[0]).to.deep.include({
      slug: 'tide',
      repository: 'ada/tide',
      deployKeys: [{ environment: 'staging', address: '0x1d7e57aa55817448' }],
    })
    expect(dataOf(await world.call('/account/projects', {}, { token: other.token }))).to.deep.equal({
      projects: [],
      count: 0,
    })
  })
})
