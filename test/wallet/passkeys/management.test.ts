import { expect } from 'chai'
import { PasskeyStore } from '../../../src/wallet/passkeys/stores/passkey-store.ts'
import { given, PasskeyWorld } from '../support/passkey-world.ts'
import type { Envelope, Person } from '../support/passkey-world.ts'

interface Activity {
  readonly activity: readonly { readonly event: string; readonly done: boolean; readonly credentialId: string | null; readonly ip: string | null; readonly reason: string | null }[]
}

describe('people and their passkeys', () => {
  let world: PasskeyWorld
  before(async () => {
    world = await PasskeyWorld.create()
  })
  after(() => world.stop())

  const remove = (person: Pick<Person, 'token'>, credentialId: string | undefined, confirmation?: unknown): Promise<Envelope> => (
    world.call('/passkeys/remove', { credentialId, ...(confirmation === undefined ? {} : { confirmation }) }, { token: person.token })
  )
  const withTwo = async (): Promise<Person & { readonly credentialId: string }> => {
    const person = await world.withPasskey()
    await world.register(person)
    return person
  }

  it('remove one, by which nobody signs in any more, and which accounts no longer are made for', async () => {
    const person = await withTwo()
    const [first, second] = await world.listed(person)
    expect([first, second].map((one) => one?.publicKeySec1Hex)).to.deep.equal(person.authenticator.credentials.map(({ publicKeySec1Hex }) => publicKeySec1Hex))
    const store = new PasskeyStore(world.database.pool)
    expect((await store.of(person.user.id)).map(({ credentialId }) => credentialId)).to.deep.equal([first?.id, second?.id])
    expect(await store.find(person.user.id, person.credentialId)).to.deep.equal({
      credentialId: person.credentialId, userId: person.user.id, publicKeySec1Hex: person.authenticator.credentials[0]?.publicKeySec1Hex,
    })
    expect(given(await remove(person, first?.id))).to.deep.equal({ removed: true })
    expect((await world.listed(person)).map(({ id }) => id)).to.deep.equal([second?.id])
    expect((await store.removedOf(person.user.id)).map(({ credentialId }) => credentialId)).to.deep.equal([first?.id])
    expect(await store.find(person.user.id, person.credentialId)).to.equal(undefined)
    expect(await store.of(person.user.id)).to.have.length(1)
    const [old] = person.authenticator.credentials.splice(0, 1)
    expect((await world.signIn(person)).status).to.equal(200)
    if (old !== undefined) person.authenticator.credentials.push(old)
    expect((await world.signIn(person)).status).to.equal(404)
    expect((await remove(person, first?.id)).error.code).to.equal('CREDENTIAL_NOT_FOUND')
  })

  it('keep their last one, also where two are removed at once', async () => {
    const one = await world.withPasskey()
    const last = await remove(one, one.credentialId)
    expect([last.status, last.error.code]).to.deep.equal([409, 'LAST_PASSKEY'])
    for (let time = 0; time < 5; time++) {
      const person = await withTwo()
      const own = await world.listed(person)
      const answers = await Promise.all(own.map(({ id }) => remove(person, id)))
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 409])
      expect(await world.listed(person)).to.have.length(1)
    }
  })

  it('can neither see, rename, remove nor confirm by those of others', async () => {
    const [person, other] = [await withTwo(), await withTwo()]
    expect((await world.listed(other)).map(({ id }) => id)).to.not.include(person.credentialId)
    const data = { credentialId: person.credentialId, authenticatorName: 'Mine' }
    for (const endpoint of ['/passkeys/remove', '/passkeys/update']) {
      const { status, error } = await world.call(endpoint, data, { token: other.token })
      expect([endpoint, status, error.code]).to.deep.equal([endpoint, 404, 'CREDENTIAL_NOT_FOUND'])
    }
    const store = new PasskeyStore(world.database.pool)
    expect(await store.find(other.user.id, person.credentialId)).to.equal(undefined)
    const old = world.later(other, 60)
    const confirmation = await world.confirm({ ...old, authenticator: person.authenticator })
    expect((await remove(old, other.credentialId, confirmation)).error.code).to.equal('CREDENTIAL_NOT_FOUND')
    expect(await world.listed(other)).to.have.length(2)
  })

  it('give theirs names that can be shown', async () => {
    const person = await world.withPasskey()
    const rename = (authenticatorName: unknown): Promise<Envelope> => (
      world.call('/passkeys/update', { credentialId: person.credentialId, authenticatorName }, { token: person.token })
    )
    const { passkey } = given(await rename('  Schlüssel 🔑 '))
    expect(Object.keys(passkey as object)).to.have.members(['id', 'authenticatorName', 'deviceType', 'backedUp', 'createdAt', 'lastUsedAt', 'publicKeySec1Hex'])
    expect((await world.listed(person)).map(({ authenticatorName }) => authenticatorName)).to.deep.equal(['Schlüssel 🔑'])
    for (const name of ['', '   ', 'x'.repeat(101), 'a\nb', 'a\u0000b', '\ud800', 7, null]) {
      const { status, error } = await rename(name)
      expect([status, error.code], JSON.stringify(name)).to.deep.equal([400, 'INVALID_INPUT'])
      expect(error.message).to.include('authenticatorName')
    }
  })

  it('have signed in lately when they add or remove one, or confirm it by one', async () => {
    const person = await withTwo()
    const old = world.later(person, 16)
    for (const answer of [await remove(old, person.credentialId), await world.call('/register/start', {}, { token: old.token })]) {
      expect([answer.status, answer.error.code]).to.deep.equal([403, 'REAUTHENTICATION_REQUIRED'])
    }
    expect((await world.call('/register/start', {}, { token: world.later(person, 14).token })).status).to.equal(200)
    expect((await world.call('/register/start', { confirmation: await world.confirm(old) }, { token: old.token })).status).to.equal(200)
    expect((await remove(old, person.credentialId, await world.confirm(old))).status).to.equal(200)
    expect(await world.listed(person)).to.have.length(1)
    const events = await world.audited("user_id = $1 and reason = 'confirmation'", [person.user.id])
    expect(events.map(({ event }) => event)).to.deep.equal(['authentication_started', 'authentication_completed', 'authentication_started', 'authentication_completed'])
  })

  it('confirm one change by one signature, of a verified user', async () => {
    const person = await withTwo()
    const old = world.later(person, 60)
    const confirmation = await world.confirm(old)
    expect((await world.call('/register/start', { confirmation }, { token: old.token })).status).to.equal(200)
    expect((await remove(old, person.credentialId, confirmation)).error.code).to.equal('CHALLENGE_MISMATCH')
    const unverified = await remove(old, person.credentialId, await world.confirm(old, { flags: 0x19 }))
    expect([unverified.status, unverified.error.code]).to.deep.equal([422, 'VERIFICATION_FAILED'])
    expect((await remove(old, person.credentialId, await world.confirm(old, { userHandle: null }))).status).to.equal(200)
    const none = await world.call('/passkeys/confirm', {}, { token: world.person().token })
    expect([none.status, none.error.code]).to.deep.equal([404, 'CREDENTIAL_NOT_FOUND'])
  })

  it('see what happened to theirs, and nothing of others', async () => {
    const [person, other] = [await withTwo(), await world.withPasskey()]
    await world.signIn(person, { flags: 0x19 })
    await world.signIn(person)
    await world.call('/passkeys/update', { credentialId: person.credentialId, authenticatorName: 'Phone' }, { token: person.token })
    await remove(person, other.credentialId)
    await remove(person, person.credentialId)
    const { activity } = given(await world.call<Activity>('/passkeys/activity', undefined, { token: person.token }))
    expect(activity.map(({ event, done, reason }) => [event, done, reason])).to.deep.equal([
      ['passkey_removed', true, null], ['passkey_removed', false, 'CREDENTIAL_NOT_FOUND'], ['passkey_updated', true, null], ['authentication_completed', true, null],
      ['authentication_failed', false, 'user-verification'], ['registration_completed', true, null], ['registration_started', true, null],
      ['registration_completed', true, null], ['registration_started', true, null],
    ])
    expect(activity.map(({ ip }) => ip)).to.deep.equal(activity.map(() => '127.0.0.1'))
  })
})
