import { createPublicKey } from 'node:crypto'
import { expect } from 'chai'
import { dataOf, origin, PasskeyWorld, rpId } from '../support/passkey-world.ts'
import type { TestUser } from '../support/passkey-world.ts'

describe('passkey ceremonies', () => {
  let world: PasskeyWorld
  before(async () => {
    world = await PasskeyWorld.create()
  })
  after(() => world.stop())

  it('request a discoverable ES256 key and user verification, for the configured relying party', async () => {
    const testUser = world.testUser({ email: 'ann@example.com' })
    const { options } = await world.startRegistration(testUser, { rpId, rpName: 'Evil', walletName: 'Ann at work' })
    expect(options.rp).to.deep.equal({ id: rpId, name: 'Wallet' })
    expect(options.pubKeyCredParams.map(({ alg }) => alg)).to.deep.equal([-7])
    expect(options.authenticatorSelection).to.include({ residentKey: 'required', userVerification: 'required' })
    expect(options).to.deep.include({ attestation: 'none', timeout: 300_000, excludeCredentials: [] })
    expect(options.user).to.include({ name: 'ann@example.com', displayName: 'Ann at work' })
    expect(Buffer.from(options.challenge, 'base64url')).to.have.length(32)
    expect(Buffer.from(options.user.id, 'base64url')).to.have.length(32)
    const { options: request } = await world.startSignIn({ rpId })
    expect(request).to.deep.include({ rpId, userVerification: 'required', timeout: 300_000 })
  })

  it('create a passkey whose key fits a Flow account, and return the key', async () => {
    const testUser = world.testUser()
    const registered = dataOf(
      await world.register(
        testUser,
        { transports: ['internal', 'hybrid', 'internal'] },
        { authenticatorName: '  My phone ' },
      ),
    )
    const [credential] = testUser.authenticator.credentials
    expect(registered).to.include({
      verified: true,
      credentialId: credential?.id,
      publicKeySec1Hex: credential?.publicKeySec1Hex,
    })
    expect(registered.publicKeySec1Hex).to.match(/^04[0-9a-f]{128}$/)
    const { createdAt, ...passkey } = registered.passkey
    expect(passkey).to.deep.equal({
      id: credential?.id,
      authenticatorName: 'My phone',
      deviceType: 'multiDevice',
      backedUp: true,
      lastUsedAt: null,
      publicKeySec1Hex: credential?.publicKeySec1Hex,
    })
    expect(Date.now() - Date.parse(createdAt)).to.be.within(-1000, 60_000)
    expect(await world.listed(testUser)).to.deep.equal([registered.passkey])
    const { options } = await world.startRegistration(testUser)
    expect(options.excludeCredentials?.map(({ id, transports }) => ({ id, transports }))).to.deep.equal([
      { id: credential?.id, transports: ['internal', 'hybrid'] },
    ])
  })

  it('sign in without a user name, with and without an e-mail address', async () => {
    for (const email of ['bob@example.com', null]) {
      const testUser = await world.withPasskey({ email })
      const answer = await world.signIn(testUser)
      const { tokenHash, ...rest } = dataOf(answer)
      expect(rest).to.deep.equal({ verified: true, email })
      expect(world.sessions.tokenHashes.get(String(tokenHash))).to.equal(testUser.user.id)
      const [passkey] = await world.listed(testUser)
      expect(passkey?.lastUsedAt).to.be.a('string')
    }
  })

  it("sign in with an address and its user's passkey, and reject a passkey of another user", async () => {
    const testUser = await world.withPasskey({ email: 'carol@example.com' })
    expect((await world.signIn(testUser, {}, { email: ' Carol@Example.com' })).status).to.equal(200)
    for (const email of ['dave@example.com', 'bob@example.com']) {
      const { status, error } = await world.signIn(testUser, {}, { email })
      expect({ status, code: error.code }).to.deep.equal({ status: 401, code: 'VERIFICATION_FAILED' })
    }
    const nameless = await world.withPasskey({ email: null })
    expect((await world.signIn(nameless, {}, { email: 'carol@example.com' })).status).to.equal(401)
  })

  it('start a sign-in with the same options for addresses with and without an account', async () => {
    await world.withPasskey({ email: 'erin@example.com' })
    const requested = [{ email: 'erin@example.com' }, { email: 'nobody@example.com' }, {}]
    const answers = await Promise.all(requested.map((data) => world.startSignIn(data)))
    const forms = answers.map(({ options, challengeId }) => ({
      ...options,
      challenge: options.challenge.length,
      challengeId: challengeId.length,
    }))
    expect(forms[0]).to.deep.equal(forms[1]).and.to.deep.equal(forms[2])
    expect(forms[0]?.allowCredentials ?? []).to.deep.equal([])
    expect(new Set(answers.map(({ options }) => options.challenge)).size).to.equal(3)
  })

  it('use one permanent handle per user that reveals nothing about the user', async () => {
    const [testUser, other] = [world.testUser(), world.testUser()]
    const handles = await Promise.all([testUser, testUser, testUser, other].map((one) => world.startRegistration(one)))
    const [first, second, third, ofOther] = handles.map(({ options }) => options.user.id)
    expect([second, third]).to.deep.equal([first, first])
    expect(ofOther).to.not.equal(first)
    expect(Buffer.from(first ?? '', 'base64url').toString('hex')).to.not.include(testUser.user.id.replaceAll('-', ''))
  })

  it('accept single-device passkeys, password managers without a counter, and credential IDs of all sizes', async () => {
    const single = world.testUser()
    const { passkey } = dataOf(await world.register(single, { flags: 0x45, credentialId: Buffer.alloc(1023, 9) }))
    expect(passkey).to.include({ deviceType: 'singleDevice', backedUp: false })
    expect((await world.signIn(single, { flags: 0x05 })).status).to.equal(200)
    const manager = await world.withPasskey({ counts: false })
    for (let time = 0; time < 3; time++) expect((await world.signIn(manager)).status).to.equal(200)
    const smallest = world.testUser()
    expect((await world.register(smallest, { credentialId: Buffer.alloc(16, 3) })).status).to.equal(200)
    expect((await world.signIn(smallest)).status).to.equal(200)
  })

  it('accept self-attestation, and update the backup state', async () => {
    const testUser = world.testUser()
    expect((await world.register(testUser, { attestation: 'packed', flags: 0x4d })).status).to.equal(200)
    expect((await world.listed(testUser)).map(({ backedUp }) => backedUp)).to.deep.equal([false])
    expect((await world.signIn(testUser, { flags: 0x1d })).status).to.equal(200)
    expect((await world.listed(testUser)).map(({ backedUp }) => backedUp)).to.deep.equal([true])
  })

  it('accept pages of the configured origins, including patterns', async () => {
    const testUser = await world.withPasskey()
    for (const from of [origin, 'https://swap.apps.example.com', 'https://a.b.apps.example.com']) {
      expect((await world.signIn(testUser, { origin: from })).status, from).to.equal(200)
    }
  })

  it('limit a user to ten passkeys, also with concurrent requests', async () => {
    const testUser = await world.withPasskey()
    const started: Awaited<ReturnType<typeof world.startRegistration>>[] = []
    for (let count = 1; count <= 11; count++) started.push(await world.startRegistration(testUser))
    const finished = await Promise.all(
      started.map(({ options, challengeId }) =>
        world.call(
          '/register/finish',
          { challengeId, response: testUser.authenticator.create(options) },
          { token: testUser.token },
        ),
      ),
    )
    expect(finished.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([
      ...Array<number>(9).fill(200),
      409,
      409,
    ])
    expect(finished.flatMap(({ success, error }) => (success ? [] : [error.code]))).to.deep.equal([
      'TOO_MANY_PASSKEYS',
      'TOO_MANY_PASSKEYS',
    ])
    expect(await world.listed(testUser)).to.have.length(10)
    const { status, error } = await world.call(
      '/register/start',
      { confirmation: await world.confirm(testUser) },
      { token: testUser.token },
    )
    expect([status, error.code]).to.deep.equal([409, 'TOO_MANY_PASSKEYS'])
  })

  it('reject a key that is registered already, since public keys are readable on the chain', async () => {
    const [testUser, other] = [await world.withPasskey(), world.testUser()]
    const [credential] = testUser.authenticator.credentials
    if (credential === undefined) throw new Error('no passkey')
    const publicKey = createPublicKey(credential.privateKey)
    for (const one of [other, testUser]) {
      const { status, error } = await world.register(one, { publicKey })
      expect([status, error.code]).to.deep.equal([409, 'CREDENTIAL_EXISTS'])
    }
    expect(await world.listed(other)).to.deep.equal([])
  })

  it('reject a credential that is registered already, for any user', async () => {
    const credentialId = Buffer.alloc(20, 5)
    const [one, other] = [world.testUser(), world.testUser()]
    expect((await world.register(one, { credentialId })).status).to.equal(200)
    for (const testUser of [one, other] satisfies TestUser[]) {
      const { status, error } = await world.register(testUser, { credentialId })
      expect([status, error.code]).to.deep.equal([409, 'CREDENTIAL_EXISTS'])
    }
  })
})
