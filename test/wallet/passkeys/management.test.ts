import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { PasskeyStore } from '../../../src/wallet/passkeys/passkey-store.ts'
import { dataOf, origin, PasskeyWorld } from '../support/passkey-world.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'
import type { Envelope, TestUser } from '../support/passkey-world.ts'

interface Activity {
  readonly activity: readonly {
    readonly event: string
    readonly done: boolean
    readonly credentialId: string | null
    readonly ip: string | null
    readonly reason: string | null
  }[]
}

describe('passkey management', () => {
  let world: PasskeyWorld
  before(async () => {
    world = await PasskeyWorld.create()
  })
  after(() => world.stop())

  const removeWith = (
    testUser: Pick<TestUser, 'token'>,
    credentialId: string | undefined,
    confirmation?: unknown,
  ): Promise<Envelope> =>
    world.call(
      '/passkeys/remove',
      { credentialId, ...(confirmation === undefined ? {} : { confirmation }) },
      { token: testUser.token },
    )
  /** Removes a passkey, confirmed by another. */
  const remove = async (testUser: TestUser, credentialId: string | undefined): Promise<Envelope> =>
    removeWith(testUser, credentialId, await world.confirm(testUser, { action: 'remove-passkey', credentialId }))
  const withTwo = async (
    of: Parameters<PasskeyWorld['withPasskey']>[0] = {},
  ): Promise<TestUser & { readonly credentialId: string }> => {
    const testUser = await world.withPasskey(of)
    await world.register(testUser)
    return testUser
  }

  /** Number of database sessions that wait for a lock. */
  const waitingForLocks = async (): Promise<number> => {
    const { rowCount } = await world.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return rowCount ?? 0
  }

  it('removes a passkey, which then cannot sign in or get an account', async () => {
    const testUser = await withTwo()
    const [first, second] = await world.listed(testUser)
    expect([first, second].map((one) => one?.publicKeySec1Hex)).to.deep.equal(
      testUser.authenticator.credentials.map(({ publicKeySec1Hex }) => publicKeySec1Hex),
    )
    const store = new PasskeyStore(world.database.pool)
    expect((await store.of(testUser.user.id)).map(({ credentialId }) => credentialId)).to.deep.equal([
      first?.id,
      second?.id,
    ])
    expect(await store.find(testUser.user.id, testUser.credentialId)).to.deep.equal({
      credentialId: testUser.credentialId,
      userId: testUser.user.id,
      publicKeySec1Hex: testUser.authenticator.credentials[0]?.publicKeySec1Hex,
    })
    expect(dataOf(await remove(testUser, first?.id))).to.deep.equal({ removed: true })
    expect((await world.listed(testUser)).map(({ id }) => id)).to.deep.equal([second?.id])
    expect((await store.removedOf(testUser.user.id)).map(({ credentialId }) => credentialId)).to.deep.equal([first?.id])
    expect(await store.find(testUser.user.id, testUser.credentialId)).to.equal(undefined)
    expect(await store.of(testUser.user.id)).to.have.length(1)
    const [old] = testUser.authenticator.credentials.splice(0, 1)
    expect((await world.signIn(testUser)).status).to.equal(200)
    if (old !== undefined) testUser.authenticator.credentials.push(old)
    expect((await world.signIn(testUser)).error.code).to.equal('PASSKEY_REMOVED')
    testUser.authenticator.credentials.splice(0, 2, ...testUser.authenticator.credentials.slice(0, 1))
    expect((await remove(testUser, first?.id)).error.code).to.equal('CREDENTIAL_NOT_FOUND')
  })

  it('does not remove the last passkey, also with concurrent requests', async () => {
    const one = await world.withPasskey()
    const last = await remove(one, one.credentialId)
    expect([last.status, last.error.code]).to.deep.equal([409, 'LAST_PASSKEY'])
    const testUser = await withTwo({ counts: false })
    const own = await world.listed(testUser)
    const client = await world.database.pool.connect()
    try {
      // Both removals pass all checks before the lock on the user's passkeys, and wait for it
      // together.
      await client.query('begin')
      await client.query('select from wallet.user_handles where user_id = $1 for no key update', [testUser.user.id])
      const removals = own.map(({ id }) => remove(testUser, id))
      while ((await waitingForLocks()) < own.length) {
        expect(await Promise.race([...removals, delay(10)]), 'a removal that did not wait').to.equal(undefined)
      }
      await client.query('commit')
      const answers = await Promise.all(removals)
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 409])
    } finally {
      client.release(true)
    }
    expect(await world.listed(testUser)).to.have.length(1)
  })

  it('does not show, rename, remove or confirm with passkeys of other users', async () => {
    const [testUser, other] = [await withTwo(), await withTwo()]
    expect((await world.listed(other)).map(({ id }) => id)).to.not.include(testUser.credentialId)
    const data = { credentialId: testUser.credentialId, authenticatorName: 'Mine' }
    for (const endpoint of ['/passkeys/remove', '/passkeys/update']) {
      const { status, error } = await world.call(endpoint, data, { token: other.token })
      expect([endpoint, status, error.code]).to.deep.equal([endpoint, 404, 'CREDENTIAL_NOT_FOUND'])
    }
    const store = new PasskeyStore(world.database.pool)
    expect(await store.find(other.user.id, testUser.credentialId)).to.equal(undefined)
    const old = world.later(other, 60)
    const change = { action: 'remove-passkey', credentialId: other.credentialId }
    const confirmation = await world.confirm({ ...old, authenticator: testUser.authenticator }, change)
    expect((await removeWith(old, other.credentialId, confirmation)).error.code).to.equal('CREDENTIAL_NOT_FOUND')
    expect(await world.listed(other)).to.have.length(2)
  })

  it('accepts only printable names', async () => {
    const testUser = await world.withPasskey()
    const rename = (authenticatorName: unknown): Promise<Envelope> =>
      world.call(
        '/passkeys/update',
        { credentialId: testUser.credentialId, authenticatorName },
        { token: testUser.token },
      )
    const { passkey } = dataOf(await rename('  Schlüssel 🔑 '))
    expect(Object.keys(passkey as object)).to.have.members([
      'id',
      'authenticatorName',
      'deviceType',
      'backedUp',
      'createdAt',
      'lastUsedAt',
      'publicKeySec1Hex',
    ])
    expect((await world.listed(testUser)).map(({ authenticatorName }) => authenticatorName)).to.deep.equal([
      'Schlüssel 🔑',
    ])
    for (const name of ['', '   ', 'x'.repeat(101), 'a\nb', 'a\u0000b', '\ud800', 7, null]) {
      const { status, error } = await rename(name)
      expect([status, error.code], JSON.stringify(name)).to.deep.equal([400, 'INVALID_INPUT'])
      expect(error.message).to.include('authenticatorName')
    }
  })

  it('requires confirmation by a passkey to add or remove one, however new the session is', async () => {
    const testUser = await withTwo()
    for (const minutes of [0, 16]) {
      const one = world.later(testUser, minutes)
      for (const answer of [
        await removeWith(one, testUser.credentialId),
        await world.call('/register/start', {}, { token: one.token }),
      ]) {
        expect([answer.status, answer.error.code]).to.deep.equal([403, 'REAUTHENTICATION_REQUIRED'])
      }
    }
    const old = world.later(testUser, 16)
    expect(
      (await world.call('/register/start', { confirmation: await world.confirm(old) }, { token: old.token })).status,
    ).to.equal(200)
    expect((await remove(old, testUser.credentialId)).status).to.equal(200)
    expect(await world.listed(testUser)).to.have.length(1)
    const events = await world.audited("user_id = $1 and reason like 'confirmation: %'", [testUser.user.id])
    expect(events.map(({ reason }) => reason)).to.deep.equal([
      'confirmation: add-passkey',
      'confirmation: add-passkey',
      'confirmation: remove-passkey',
    ])
  })

  it('adds the first passkey within 15 minutes after sign-in', async () => {
    const testUser = world.testUser()
    expect((await world.call('/register/start', {}, { token: world.later(testUser, 14).token })).status).to.equal(200)
    expect((await world.call('/register/start', {}, { token: world.later(testUser, 16).token })).error.code).to.equal(
      'REAUTHENTICATION_REQUIRED',
    )
  })

  it('rejects a registration that started before the user had a passkey', async () => {
    const owner = world.testUser()
    const [hasStarted, also] = [await world.startRegistration(owner), await world.startRegistration(owner)]
    expect(
      (
        await world.call(
          '/register/finish',
          { challengeId: hasStarted.challengeId, response: owner.authenticator.create(hasStarted.options) },
          { token: owner.token },
        )
      ).status,
    ).to.equal(200)
    const reader = new SoftAuthenticator(origin)
    const { status, error } = await world.call(
      '/register/finish',
      { challengeId: also.challengeId, response: reader.create(also.options) },
      { token: owner.token },
    )
    expect([status, error.code]).to.deep.equal([403, 'REAUTHENTICATION_REQUIRED'])
    expect(await world.listed(owner)).to.have.length(1)
  })

  it('accepts one signature with user verification for one specific change', async () => {
    const testUser = await withTwo()
    const [first, second] = await world.listed(testUser)
    const change = { action: 'remove-passkey', credentialId: first?.id }
    const others = [
      { action: 'add-passkey' },
      { action: 'remove-passkey', credentialId: second?.id },
      { action: 'delete-user' },
      { action: 'change-email', email: 'a@example.com' },
      { ...change, abandon: ['0x0000000000000001'] },
    ]
    for (const other of others) {
      expect(
        (await removeWith(testUser, first?.id, await world.confirm(testUser, other))).error.code,
        JSON.stringify(other),
      ).to.equal('CHALLENGE_MISMATCH')
    }
    const unverified = await removeWith(testUser, first?.id, await world.confirm(testUser, change, { flags: 0x19 }))
    expect([unverified.status, unverified.error.code]).to.deep.equal([422, 'VERIFICATION_FAILED'])
    expect(
      (
        await world.call(
          '/register/start',
          { confirmation: await world.confirm(testUser, change) },
          { token: testUser.token },
        )
      ).error.code,
    ).to.equal('CHALLENGE_MISMATCH')
    const confirmation = await world.confirm(testUser, change, { userHandle: null })
    expect((await removeWith(testUser, first?.id, confirmation)).status).to.equal(200)
    expect((await removeWith(testUser, first?.id, confirmation)).error.code).to.equal('CREDENTIAL_NOT_FOUND')
    const none = await world.call(
      '/passkeys/confirm',
      { change: { action: 'add-passkey' } },
      { token: world.testUser().token },
    )
    expect([none.status, none.error.code]).to.deep.equal([404, 'CREDENTIAL_NOT_FOUND'])
    expect((await world.call('/passkeys/confirm', {}, { token: testUser.token })).error.code).to.equal('INVALID_INPUT')
  })

  it("lists the history of the user's own passkeys only", async () => {
    const [testUser, other] = [await withTwo(), await world.withPasskey()]
    await world.signIn(testUser, { flags: 0x19 })
    await world.signIn(testUser)
    await world.call(
      '/passkeys/update',
      { credentialId: testUser.credentialId, authenticatorName: 'Phone' },
      { token: testUser.token },
    )
    await removeWith(testUser, other.credentialId)
    await remove(testUser, testUser.credentialId)
    const { activity } = dataOf(await world.call<Activity>('/passkeys/activity', undefined, { token: testUser.token }))
    expect(activity.map(({ event, done, reason }) => [event, done, reason])).to.deep.equal([
      ['passkey_removed', true, null],
      ['authentication_completed', true, 'confirmation: remove-passkey'],
      ['authentication_started', true, 'confirmation'],
      ['passkey_removed', false, 'CREDENTIAL_NOT_FOUND'],
      ['passkey_updated', true, null],
      ['authentication_completed', true, null],
      ['authentication_failed', false, 'user-verification'],
      ['registration_completed', true, null],
      ['registration_started', true, null],
      ['authentication_completed', true, 'confirmation: add-passkey'],
      ['authentication_started', true, 'confirmation'],
      ['registration_completed', true, null],
      ['registration_started', true, null],
    ])
    expect(activity.map(({ ip }) => ip)).to.deep.equal(activity.map(() => '127.0.0.1'))
  })
})
