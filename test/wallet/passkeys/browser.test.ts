import { expect } from 'chai'
import { pino } from 'pino'
import type { CDPSession, Page } from 'playwright-core'
import { createHttpServer } from '../../../src/platform/http/server.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { createPasskeyFunction, passkeyFunctionPath } from '../../../src/wallet/passkeys/passkey-function.ts'
import { readRelyingParty } from '../../../src/wallet/passkeys/relying-party.ts'
import { startBrowser } from '../../support/browser.ts'
import type { TestBrowser } from '../../support/browser.ts'
import { readRepositoryFile } from '../../support/repository.ts'
import { PasskeyWorld } from '../support/passkey-world.ts'
import type { Envelope } from '../support/passkey-world.ts'

/** A ceremony in the browser: start, authenticator response, finish. */
interface Ceremony {
  readonly start: string
  readonly finish: string
  readonly kind: 'startRegistration' | 'startAuthentication'
  readonly token?: string
  readonly data?: Readonly<Record<string, unknown>>
}

interface Finished extends Envelope {
  /** Error from the browser. */
  readonly thrown?: string
}

describe('passkeys in a real browser', () => {
  let browser: TestBrowser
  let world: PasskeyWorld
  let page: Page
  let cdp: CDPSession
  let authenticatorId: string
  let stop: () => Promise<void>
  before(async () => {
    world = await PasskeyWorld.create()
    let origin = ''
    const log = pino({ level: 'silent' })
    const passkeys = createPasskeyFunction({
      pool: world.database.pool,
      log,
      sessions: world.sessions,
      relyingParty: () => readRelyingParty({ url: origin, rpId: undefined, rpName: 'Wallet', origins: [] }),
    })
    const library = readRepositoryFile('node_modules/@simplewebauthn/browser/dist/bundle/index.umd.min.js')
    const server = await createHttpServer(
      { service: 'wallet', host: '127.0.0.1', port: 0, log, metrics: new Metrics(), closeGraceMs: 500 },
      {
        routes: passkeys.routes,
        services: undefined,
        before: [passkeys.cors],
        headers: {},
        page: (context) => {
          context.type = 'text/html'
          context.body = `<!doctype html><title>Wallet</title><script>${library}</script>`
        },
      },
    )
    origin = `http://localhost:${server.port}`
    stop = () => server.close()
    browser = await startBrowser()
    page = await browser.browser.newPage()
    cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const made = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    authenticatorId = made.authenticatorId
    await page.goto(origin)
  })
  after(async () => {
    await browser.close()
    await stop()
    await world.stop()
  })

  const perform = (ceremony: Ceremony): Promise<Finished> =>
    page.evaluate(
      async ([path, { start, finish, kind, token, data }]) => {
        const call = async (endpoint: string, sent: unknown): Promise<Envelope> => {
          const headers = {
            'Content-Type': 'application/json',
            ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          }
          const response = await fetch(path, {
            method: 'POST',
            headers,
            body: JSON.stringify({ endpoint, data: sent }),
          })
          return { ...((await response.json()) as Envelope), status: response.status }
        }
        const started = await call(start, data === undefined ? {} : { change: data['change'] })
        if (!started.success) return started
        const library = (
          globalThis as unknown as { SimpleWebAuthnBrowser: Record<string, (given: unknown) => Promise<unknown>> }
        ).SimpleWebAuthnBrowser
        try {
          const response = await library[kind]?.({ optionsJSON: started.data['options'] })
          const answer = { challengeId: started.data['challengeId'], response }
          return await call(finish, data === undefined ? answer : { ...data, confirmation: answer })
        } catch (error) {
          return { ...started, success: false, thrown: (error as Error).name }
        }
      },
      [passkeyFunctionPath, ceremony] as const,
    )

  it('can be created, sign in without a user name, confirm a change, and are invalid after removal', async () => {
    const testUser = world.testUser({ email: 'ann@example.com' })
    const register: Ceremony = {
      start: '/register/start',
      finish: '/register/finish',
      kind: 'startRegistration',
      token: testUser.token,
    }
    const signIn: Ceremony = { start: '/login/start', finish: '/login/finish', kind: 'startAuthentication' }
    const made = await perform(register)
    expect(made.data, JSON.stringify(made)).to.include({ verified: true })
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    expect(credentials.map(({ isResidentCredential, rpId }) => [isResidentCredential, rpId])).to.deep.equal([
      [true, 'localhost'],
    ])

    for (let time = 0; time < 3; time++) {
      const letIn = await perform(signIn)
      expect(letIn.data, JSON.stringify(letIn)).to.include({ verified: true, email: 'ann@example.com' })
    }
    expect((await perform(register)).error.code).to.equal('REAUTHENTICATION_REQUIRED')

    const {
      rows: [second],
    } = await world.database.pool.query<{ id: string }>(
      `insert into wallet.passkeys (credential_id, user_id, rp_id, public_key, public_key_sec1, counter, device_type, is_backed_up, aaguid, name)
       select 'AAAAAAAAAAAAAAAAAAAAAAAA', user_id, rp_id, public_key, set_byte(public_key_sec1, 64, 255 - get_byte(public_key_sec1, 64)), 0, device_type, is_backed_up, aaguid, 'Second' from wallet.passkeys where user_id = $1
       returning credential_id as id`,
      [testUser.user.id],
    )
    const { token } = world.later(testUser, 60)
    const removal: Ceremony = {
      start: '/passkeys/confirm',
      finish: '/passkeys/remove',
      kind: 'startAuthentication',
      token,
      data: { credentialId: second?.id, change: { action: 'remove-passkey', credentialId: second?.id } },
    }
    const removed = await perform(removal)
    expect([removed.status, removed.data], JSON.stringify(removed)).to.deep.equal([200, { removed: true }])

    await world.database.pool.query('update wallet.passkeys set removed_at = now() where user_id = $1', [
      testUser.user.id,
    ])
    const late = await perform(signIn)
    expect([late.status, late.error.code]).to.deep.equal([403, 'PASSKEY_REMOVED'])
  })

  it('cannot be created or used without user verification', async () => {
    const testUser = world.testUser()
    const register: Ceremony = {
      start: '/register/start',
      finish: '/register/finish',
      kind: 'startRegistration',
      token: testUser.token,
    }
    expect((await perform(register)).status).to.equal(200)
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    try {
      expect((await perform({ ...register, token: world.testUser().token })).thrown).to.equal('NotAllowedError')
      expect(
        (await perform({ start: '/login/start', finish: '/login/finish', kind: 'startAuthentication' })).thrown,
      ).to.equal('NotAllowedError')
    } finally {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    }
  })
})
