import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { origin, PasskeyWorld } from '../support/passkey-world.ts'
import type { CreateDeviations, Deviations, GetDeviations } from '../support/soft-authenticator.ts'

/** Foreign origins that resemble allowed ones. */
const foreignOrigins = [
  'https://evil.example',
  'https://wallet.example.com.evil.example',
  'https://evilwallet.example.com',
  'https://example.com',
  'https://apps.example.com',
  'http://wallet.example.com',
  'https://wallet.example.com:8443',
  'https://wallet.example.com/',
  'https://wallet.example.com@evil.example',
  'https://xapps.example.com',
  'https://user.github.io',
  'HTTPS://WALLET.EXAMPLE.COM',
  'https://swap.apps.example.com.',
  'http://swap.apps.example.com',
  'null',
  '',
  'android:apk-key-hash:abc',
]

const inBoth: readonly (readonly [string, Deviations, string])[] = [
  ['another relying party', { rpId: 'evil.example' }, 'relying-party'],
  ['no one present', { flags: 0x5c }, 'user-presence'],
  ['a user who was not verified', { flags: 0x59 }, 'user-verification'],
  ['a challenge of others', { challenge: Buffer.alloc(32).toString('base64url') }, 'challenge'],
  ['an empty challenge', { challenge: '' }, 'challenge'],
  ['a frame of another site', { clientData: { crossOrigin: true } }, 'cross-origin'],
  ['a page above it', { clientData: { topOrigin: 'https://evil.example' } }, 'cross-origin'],
  ['client data that is not an object', { clientDataText: 'null' }, 'malformed'],
  ['client data that is not JSON', { clientDataText: '{' }, 'malformed'],
  ['client data without a challenge', { clientData: { challenge: 7 } }, 'malformed'],
  ['a backup of what may not be backed up', { flags: 0x55 }, 'backup'],
  ...foreignOrigins.map((foreign): readonly [string, Deviations, string] => [
    `the origin ${foreign}`,
    { origin: foreign },
    'origin',
  ]),
]

const ofRegistrations: readonly (readonly [string, CreateDeviations, string])[] = [
  ...inBoth,
  ['an assertion', { type: 'webauthn.get' }, 'type'],
  ['a key of RS256', { algorithm: 'RS256' }, 'algorithm'],
  ['a key of another curve', { algorithm: 'wrong-curve' }, 'algorithm'],
  ['an unrequested certificate', { attestation: 'certified' }, 'attestation'],
  ['a statement where there is to be none', { attestation: 'none-with-statement' }, 'signature'],
  ['more bytes than there are to be', { rest: Buffer.of(0) }, 'malformed'],
  ['a passkey that is not discoverable', { isDiscoverable: false }, 'not-discoverable'],
  ['no credential', { flags: 0x1d }, 'malformed'],
]

const ofAssertions: readonly (readonly [string, GetDeviations, string])[] = [
  ...inBoth.map(([what, deviations, reason]): readonly [string, GetDeviations, string] => [
    what,
    deviations.flags === undefined ? deviations : { ...deviations, flags: deviations.flags & ~0x40 },
    reason,
  ]),
  ['a registration', { type: 'webauthn.create' }, 'type'],
  ['a signature by another key', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }, 'signature'],
  ['no word on whose it is', { userHandle: null }, 'user-handle'],
  ['the handle of another user', { userHandle: Buffer.alloc(32, 1).toString('base64url') }, 'user-handle'],
  ['a passkey of one device that is of several now', { flags: 0x05 }, 'backup'],
]

describe('passkeys are rejected', () => {
  let world: PasskeyWorld
  before(async () => {
    world = await PasskeyWorld.create()
  })
  after(() => world.stop())

  for (const [what, deviations, reason] of ofRegistrations) {
    it(`at registration with ${what}`, async () => {
      const testUser = world.testUser()
      const { status, error } = await world.register(testUser, deviations)
      expect({ status, code: error.code }).to.deep.equal({ status: 422, code: 'VERIFICATION_FAILED' })
      expect(await world.listed(testUser)).to.deep.equal([])
      const audited = await world.audited('user_id = $1', [testUser.user.id])
      expect(audited.map(({ event, is_done: isDone, reason: why }) => [event, isDone, why])).to.deep.equal([
        ['registration_started', true, null],
        ['registration_failed', false, reason],
      ])
    })
  }

  for (const [what, deviations, reason] of ofAssertions) {
    it(`at sign-in with ${what}`, async () => {
      const testUser = await world.withPasskey()
      const { status, error } = await world.signIn(testUser, deviations)
      expect({ status, code: error.code }).to.deep.equal({ status: 401, code: 'VERIFICATION_FAILED' })
      const [last] = (await world.audited('credential_id = $1', [testUser.credentialId])).slice(-1)
      expect(last).to.include({ event: 'authentication_failed', is_done: false, user_id: testUser.user.id, reason })
      expect(world.sessions.tokenHashes.size).to.equal(0)
      expect((await world.listed(testUser)).map(({ lastUsedAt }) => lastUsedAt)).to.deep.equal([null])
    })
  }

  it('if their key is not a point on the curve', async () => {
    const { status, error } = await world.register(world.testUser(), { algorithm: 'off-curve' })
    expect([status, error.code]).to.deep.equal([422, 'NO_PUBLIC_KEY'])
  })

  it('if they name another credential ID', async () => {
    const testUser = world.testUser()
    const { options, challengeId } = await world.startRegistration(testUser)
    const response = testUser.authenticator.create(options)
    const id = Buffer.alloc(32, 1).toString('base64url')
    for (const changed of [
      { ...response, id, rawId: id },
      { ...response, rawId: id },
    ]) {
      const { challengeId: fresh, options: again } = await world.startRegistration(testUser)
      const made = testUser.authenticator.create(again)
      const { status, error } = await world.call(
        '/register/finish',
        { challengeId: fresh, response: { ...made, id: changed.id === id ? id : made.id, rawId: id } },
        { token: testUser.token },
      )
      expect([status, error.code]).to.deep.equal([422, 'VERIFICATION_FAILED'])
    }
    expect(
      (await world.call('/register/finish', { challengeId, response }, { token: testUser.token })).status,
    ).to.equal(200)
  })

  it('if they are unknown, removed, or of a deleted user', async () => {
    const testUser = await world.withPasskey()
    const otherUser = await world.signIn(testUser, { credentialId: Buffer.alloc(32, 2).toString('base64url') })
    expect([otherUser.status, otherUser.error.code]).to.deep.equal([404, 'CREDENTIAL_NOT_FOUND'])
    await world.database.pool.query('update wallet.passkeys set removed_at = now() where credential_id = $1', [
      testUser.credentialId,
    ])
    expect((await world.signIn(testUser)).error.code).to.equal('PASSKEY_REMOVED')
    await world.database.pool.query('update wallet.passkeys set removed_at = null where credential_id = $1', [
      testUser.credentialId,
    ])
    world.sessions.users.delete(testUser.token)
    expect((await world.signIn(testUser)).status).to.equal(404)
  })

  it('if they were created for another relying party', async () => {
    const testUser = await world.withPasskey()
    await world.database.pool.query("update wallet.passkeys set rp_id = 'old.example' where credential_id = $1", [
      testUser.credentialId,
    ])
    expect((await world.signIn(testUser)).status).to.equal(404)
  })

  it('if a copy signed meanwhile, after the signature is verified', async () => {
    const testUser = await world.withPasskey()
    expect((await world.signIn(testUser, { counter: 41 })).status).to.equal(200)
    for (const counter of [41, 40, 0]) {
      const { status, error } = await world.signIn(testUser, { counter })
      expect([status, error.code], String(counter)).to.deep.equal([401, 'VERIFICATION_FAILED'])
    }
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    expect((await world.signIn(testUser, { counter: 3, key })).status).to.equal(401)
    const audited = await world.audited(
      "credential_id = $1 and event in ('counter_mismatch', 'authentication_failed')",
      [testUser.credentialId],
    )
    expect(audited.map(({ event, reason }) => [event, reason])).to.deep.equal([
      ...[41, 40, 0].map(() => ['counter_mismatch', 'counter']),
      ['authentication_failed', 'signature'],
    ])
    expect((await world.signIn(testUser, { counter: 42 })).status).to.equal(200)
  })

  it('except one if several present the same counter concurrently', async () => {
    const testUser = await world.withPasskey()
    const started = await Promise.all(Array.from({ length: 8 }, () => world.startSignIn()))
    const answers = await Promise.all(
      started.map(({ options, challengeId }) =>
        world.call('/login/finish', { challengeId, response: testUser.authenticator.get(options, { counter: 7 }) }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([
      200,
      ...Array<number>(7).fill(401),
    ])
  })

  it('with errors that reveal no account and repeat no input', async () => {
    const testUser = await world.withPasskey()
    const messages = await Promise.all(
      ofAssertions.map(async ([, deviations]) => (await world.signIn(testUser, deviations)).error.message),
    )
    for (const message of messages) {
      expect(message).to.not.include(testUser.user.id)
      expect(message).to.not.include(testUser.credentialId)
      expect(message).to.not.include('evil')
      expect(message).to.not.include(origin)
    }
  })
})
