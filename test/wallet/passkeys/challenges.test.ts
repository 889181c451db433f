import { expect } from 'chai'
import { dataOf, PasskeyWorld } from '../support/passkey-world.ts'
import type { Envelope, Started } from '../support/passkey-world.ts'
import type { RequestOptions } from '../support/soft-authenticator.ts'

describe('passkey challenges', () => {
  let world: PasskeyWorld
  before(async () => {
    world = await PasskeyWorld.create()
  })
  after(() => world.stop())

  const codesOf = (answers: readonly Envelope<unknown>[]): string[] =>
    answers.map(({ success, status, error }) => String(success ? status : error.code)).toSorted()

  it('are valid for one sign-in, also with concurrent requests', async () => {
    const testUser = await world.withPasskey({ counts: false })
    const { options, challengeId } = await world.startSignIn()
    const body = { challengeId, response: testUser.authenticator.get(options) }
    const answers = await Promise.all(Array.from({ length: 12 }, () => world.call('/login/finish', body)))
    expect(codesOf(answers)).to.deep.equal(['200', ...Array<string>(11).fill('CHALLENGE_MISMATCH')])
    const again = await world.call('/login/finish', body)
    expect([again.status, again.error.code]).to.deep.equal([400, 'CHALLENGE_MISMATCH'])
  })

  it('are valid for one registration, also with concurrent requests', async () => {
    const testUser = world.testUser()
    const { options, challengeId } = await world.startRegistration(testUser)
    const bodies = Array.from({ length: 6 }, () => ({ challengeId, response: testUser.authenticator.create(options) }))
    const answers = await Promise.all(
      bodies.map((body) => world.call('/register/finish', body, { token: testUser.token })),
    )
    expect(codesOf(answers)).to.deep.equal(['200', ...Array<string>(5).fill('CHALLENGE_MISMATCH')])
    expect(await world.listed(testUser)).to.have.length(1)
  })

  it('are used up by an invalid response', async () => {
    const testUser = await world.withPasskey()
    const { options, challengeId } = await world.startSignIn()
    const wrong = await world.call('/login/finish', {
      challengeId,
      response: testUser.authenticator.get(options, { flags: 0x19 }),
    })
    const right = await world.call('/login/finish', { challengeId, response: testUser.authenticator.get(options) })
    expect([wrong.error.code, right.error.code]).to.deep.equal(['VERIFICATION_FAILED', 'CHALLENGE_MISMATCH'])
  })

  it('expire after five minutes', async () => {
    const testUser = await world.withPasskey()
    const [inTime, late] = [await world.startSignIn(), await world.startSignIn()]
    const { rows } = await world.database.pool.query<{ minutes: number }>(
      'select extract(epoch from expires_at - now())::float8 / 60 as minutes from wallet.challenges where id = $1',
      [late.challengeId],
    )
    expect(rows[0]?.minutes).to.be.within(4.5, 5)
    await world.database.pool.query(
      "update wallet.challenges set expires_at = expires_at - interval '5 minutes' where id = $1",
      [late.challengeId],
    )
    const expired = await world.call('/login/finish', {
      challengeId: late.challengeId,
      response: testUser.authenticator.get(late.options),
    })
    expect([expired.status, expired.error.code]).to.deep.equal([410, 'CHALLENGE_EXPIRED'])
    expect(
      (
        await world.call('/login/finish', {
          challengeId: inTime.challengeId,
          response: testUser.authenticator.get(inTime.options),
        })
      ).status,
    ).to.equal(200)
    expect((await world.audited("event = 'challenge_expired'")).map(({ reason }) => reason)).to.deep.equal(['sign-in'])

    const started = await world.startRegistration(testUser)
    await world.database.pool.query('update wallet.challenges set expires_at = now() where id = $1', [
      started.challengeId,
    ])
    const answer = await world.call(
      '/register/finish',
      { challengeId: started.challengeId, response: testUser.authenticator.create(started.options) },
      { token: testUser.token },
    )
    expect([answer.status, answer.error.code]).to.deep.equal([410, 'CHALLENGE_EXPIRED'])
  })

  it('are bound to one ceremony, user and relying party, and survive a mismatch', async () => {
    const [testUser, other] = [await world.withPasskey(), await world.withPasskey()]
    const registration = await world.startRegistration(testUser)
    const response = testUser.authenticator.create(registration.options)
    const finish = { challengeId: registration.challengeId, response }
    expect((await world.call('/register/finish', finish, { token: other.token })).error.code).to.equal(
      'CHALLENGE_MISMATCH',
    )
    const asSignIn = {
      challengeId: registration.challengeId,
      response: testUser.authenticator.get({ ...registration.options, rpId: 'example.com' }),
    }
    expect((await world.call('/login/finish', asSignIn)).error.code).to.equal('CHALLENGE_MISMATCH')
    expect((await world.call('/register/finish', finish, { token: testUser.token })).status).to.equal(200)

    const signIn = await world.startSignIn()
    const asRegistration = {
      challengeId: signIn.challengeId,
      response: testUser.authenticator.create({ ...registration.options, challenge: signIn.options.challenge }),
    }
    expect((await world.call('/register/finish', asRegistration, { token: testUser.token })).error.code).to.equal(
      'CHALLENGE_MISMATCH',
    )

    const { challengeId, response: confirmed } = await world.confirm(testUser)
    expect((await world.call('/login/finish', { challengeId, response: confirmed })).error.code).to.equal(
      'CHALLENGE_MISMATCH',
    )

    const { options: requested, challengeId: ofConfirmation } = dataOf(
      await world.call<Started<RequestOptions>>(
        '/passkeys/confirm',
        { change: { action: 'remove-passkey', credentialId: testUser.credentialId } },
        { token: testUser.token },
      ),
    )
    const made = testUser.authenticator.create({ ...registration.options, challenge: requested.challenge })
    expect(
      (await world.call('/register/finish', { challengeId: ofConfirmation, response: made }, { token: testUser.token }))
        .error.code,
    ).to.equal('CHALLENGE_MISMATCH')
    const another = await world.startRegistration(testUser)
    const confirmation = {
      challengeId: another.challengeId,
      response: testUser.authenticator.get({ ...another.options, rpId: 'example.com' }),
    }
    await world.register(testUser)
    expect(
      (
        await world.call(
          '/passkeys/remove',
          { credentialId: testUser.credentialId, confirmation },
          { token: testUser.token },
        )
      ).error.code,
    ).to.equal('CHALLENGE_MISMATCH')

    await world.database.pool.query("update wallet.challenges set rp_id = 'old.example' where id = $1", [
      signIn.challengeId,
    ])
    const elsewhere = await world.call('/login/finish', {
      challengeId: signIn.challengeId,
      response: testUser.authenticator.get(signIn.options),
    })
    expect(elsewhere.error.code).to.equal('CHALLENGE_MISMATCH')
  })

  it('are hashed in the database, and deleted after expiry', async () => {
    const { options, challengeId } = await world.startSignIn({ email: 'frank@example.com' })
    const { rows } = await world.database.pool.query('select c::text as line from wallet.challenges c')
    const lines = JSON.stringify(rows)
    expect(lines).to.include(challengeId)
    expect(lines).to.not.include(options.challenge)
    expect(lines).to.not.include(Buffer.from(options.challenge, 'base64url').toString('hex'))
    expect(lines).to.not.include('frank')
    await world.database.pool.query(
      "update wallet.challenges set expires_at = now() - interval '2 hours' where id = $1",
      [challengeId],
    )
    await world.passkeyFunction.prune()
    const { rowCount } = await world.database.pool.query('select 1 from wallet.challenges where id = $1', [challengeId])
    expect(rowCount).to.equal(0)
  })
})
