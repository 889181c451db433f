import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { SignJWT } from 'jose'
import { Accounts } from '../../../src/platform/auth/accounts.ts'
import { DeveloperKeys } from '../../../src/platform/auth/developer-keys.ts'
import { InstallationStore } from '../../../src/editor/github/stores/installation-store.ts'
import { deleteUserData } from '../../../src/services.ts'
import { createTestDatabase } from '../../support/database.ts'
import { untilLockWait } from '../../support/lock-wait.ts'
import type { TestDatabase } from '../../support/database.ts'
import { runAuth, signIn } from './support/running-auth.ts'
import type { RunningAuth } from './support/running-auth.ts'

describe("deletion of a user's data in the program", () => {
  let db: TestDatabase
  let auth: RunningAuth
  before(async () => {
    db = await createTestDatabase()
    auth = await runAuth(db, { deleteUserData })
  })
  after(async () => {
    await auth.stop()
    await db.drop()
  })

  /** Creates a project with a file and a connected repository. */
  const keepProject = async (userId: string): Promise<void> => {
    const [projectId, connectionId] = [randomUUID(), randomUUID()]
    const rows: readonly [string, readonly unknown[]][] = [
      [
        `insert into projects.projects (id, user_id, slug, name, network, is_public, open_files, folders, version, file_count, byte_count)
        values ($1::uuid, $2, $1::uuid::text, 'P', 'testnet', true, '{}', '{}', 1, 1, 1)`,
        [projectId, userId],
      ],
      [
        "insert into projects.files (project_id, path_key, path, content, hash, byte_count, version) values ($1, 'a', 'a', 'x', $2, 1, 1)",
        [projectId, Buffer.alloc(32)],
      ],
      [
        'insert into projects.saves (user_id, save_id, project_id, version, digest, saved_at) values ($1, $2, $2, 1, $3, now())',
        [userId, projectId, Buffer.alloc(32)],
      ],
      [
        `insert into editor.connections (id, project_id, user_id, installation_id, repository_id, owner, repo, branch, network, callback_salt)
        values ($1, $2, $3, 1, 2, 'o', 'r', 'main', 'testnet', $4)`,
        [connectionId, projectId, userId, Buffer.alloc(32)],
      ],
      [
        "insert into editor.environments (connection_id, name, branch, network) values ($1, 'staging', 'main', 'testnet')",
        [connectionId],
      ],
      [
        `insert into editor.installations (user_id, installation_id, github_user_id, github_login, account_id, account_login, account_type, repository_ids)
        values ($1, 1, 3, 'login', 4, 'o', 'User', '{2}')`,
        [userId],
      ],
      [
        "insert into editor.install_states (state_hash, browser_hash, user_id, expires_at) values (sha256($1), $2, $3, now() + interval '1 hour')",
        [Buffer.from(userId), Buffer.alloc(32), userId],
      ],
    ]
    for (const [text, values] of rows) await db.pool.query(text, [...values])
  }
  const countOf = async (userId: string): Promise<Readonly<Record<string, number>>> => {
    const counts = {
      projects: 'projects.projects where user_id = $1',
      saves: 'projects.saves where user_id = $1',
      connections: 'editor.connections where user_id = $1',
      files: 'projects.files as f join projects.projects as p on p.id = f.project_id where user_id = $1',
      environments:
        'editor.environments as e join editor.connections as c on c.id = e.connection_id where user_id = $1',
      installations: 'editor.installations where user_id = $1',
      install_states: 'editor.install_states where user_id = $1',
    }
    const found: Record<string, number> = {}
    for (const [name, from] of Object.entries(counts))
      found[name] = (await db.pool.query(`select from ${from}`, [userId])).rowCount ?? 0
    return found
  }

  it("deletes the user's projects and connections, and no data of other users", async () => {
    const [ann, ben] = [await signIn(auth, 'ann@example.com'), await signIn(auth, 'ben@example.com')]
    for (const { userId } of [ann, ben]) await keepProject(userId)
    expect(await countOf(ann.userId)).to.deep.equal({
      projects: 1,
      files: 1,
      saves: 1,
      connections: 1,
      environments: 1,
      installations: 1,
      install_states: 1,
    })
    expect(
      (await auth.call('DELETE', '/user', { headers: { Authorization: `Bearer ${ann.accessToken}` } })).status,
    ).to.equal(204)
    expect(await countOf(ann.userId)).to.deep.equal({
      projects: 0,
      files: 0,
      saves: 0,
      connections: 0,
      environments: 0,
      installations: 0,
      install_states: 0,
    })
    expect((await countOf(ben.userId))['files']).to.equal(1)
    expect((await db.pool.query('select from editor.environments')).rowCount).to.equal(1)
  })

  it('leaves no installation that GitHub reported during the deletion', async () => {
    const { userId } = await signIn(auth, 'eve@example.com')
    const installations = new InstallationStore(db.pool, auth.sessions.lockUser)
    const going = await db.pool.connect()
    try {
      await going.query('begin')
      await going.query('select from wallet_auth.users where id = $1 for update', [userId])
      const writing = installations
        .replace(userId, 3, [
          {
            installationId: 1,
            githubUserId: 3,
            githubLogin: 'login',
            accountId: 4,
            accountLogin: 'o',
            accountType: 'User',
            repositoryIds: [2],
            isSuspended: false,
          },
        ])
        .catch((error: unknown) => error)
      await untilLockWait(db)
      await deleteUserData(going, userId)
      await going.query('delete from wallet_auth.users where id = $1', [userId])
      await going.query('commit')
      expect(await writing).to.deep.include({ status: 401, code: 'user-removed' })
    } finally {
      going.release()
    }
    expect((await countOf(userId))['installations']).to.equal(0)
  })

  it("revokes the user's API account and keys, and removes their link to the user", async () => {
    const jwtSecret = 'a secret that is long enough for HS256'
    const keys = new DeveloperKeys(db.pool, { cacheMs: 0 })
    const accounts = new Accounts({ pool: db.pool, keys, jwtSecret })
    const jwtOf = (userId: string): Promise<string> =>
      new SignJWT({ sub: userId })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(jwtSecret))
    const users = await Promise.all(
      ['cid@example.com', 'dan@example.com'].map(async (email) => {
        const { userId, accessToken } = await signIn(auth, email)
        const account = await accounts.ofJwt(await jwtOf(userId))
        return {
          userId,
          accessToken,
          account,
          texts: [
            (await accounts.makeKey(account.id, 'My server')).text,
            (await accounts.makeKey(account.id, 'My phone')).text,
          ],
        }
      }),
    )
    const [cid, dan] = users
    if (cid === undefined || dan === undefined) throw new Error('two have signed in')
    const isGood = async (text: string): Promise<boolean> => (await keys.find(text)) !== undefined
    expect(await Promise.all([...cid.texts, ...dan.texts].map(isGood))).to.deep.equal([true, true, true, true])
    expect(
      (await auth.call('DELETE', '/user', { headers: { Authorization: `Bearer ${cid.accessToken}` } })).status,
    ).to.equal(204)
    expect(await Promise.all([...cid.texts, ...dan.texts].map(isGood))).to.deep.equal([false, false, true, true])
    const { rows } = await db.pool.query(
      'select name, user_id, revoked_at from app.developer_keys where id = $1 or account_id = $1',
      [cid.account.id],
    )
    expect(rows).to.have.length(3)
    for (const row of rows)
      expect(row)
        .to.deep.include({ name: 'deleted user', user_id: null })
        .and.to.have.property('revoked_at')
        .instanceOf(Date)
    const refusal = await accounts.makeKey(cid.account.id, 'Another').catch((error: unknown) => error)
    expect(refusal).to.have.property('status', 403)
    expect((await accounts.keysOf(dan.account.id)).map(({ name }) => name)).to.deep.equal(['My phone', 'My server'])
  })
})
