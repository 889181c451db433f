import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { bytesOfBase64Url, bytesOfHex } from '../../../clients/signing/bytes.ts'
import { signTransaction } from '../../../clients/signing/sign-transaction.ts'
import { sendFlow } from '../../../clients/signing/transactions/make-transaction.ts'
import { clientLimits } from '../../../src/wallet/client-routes.ts'
import { newEmail, otherAddress, startFakeWallet } from '../../support/fake-wallet.ts'
import type { FakeWallet } from '../../support/fake-wallet.ts'
import { submission } from '../support/sent-transactions.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'
import type { CreationOptions, RequestOptions } from '../support/soft-authenticator.ts'

const editor = 'https://editor.example.com'
const redirectUri = `${editor}/developer/callback`

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Headers
}

describe('client sign-in at the wallet', () => {
  let wallet: FakeWallet
  before(async () => {
    wallet = await startFakeWallet(
      (_, next) => next(),
      {},
      {
        clients: [
          { id: 'editor', name: 'Cadence editor', redirectUri },
          { id: 'other', name: 'Another program', redirectUri: 'https://other.example.com/back' },
        ],
      },
    )
  })
  after(() => wallet.stop())
  beforeEach(() => wallet.pool.query('delete from wallet_auth.rate_limits'))

  const send = async (
    method: string,
    path: string,
    {
      body,
      token,
      origin = wallet.url,
    }: { readonly body?: unknown; readonly token?: string; readonly origin?: string } = {},
  ): Promise<Answer> => {
    const response = await fetch(`${wallet.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        'Content-Type': 'application/json',
        Origin: origin,
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>,
    }
  }
  const signIn = async (email = newEmail()): Promise<{ readonly token: string; readonly email: string }> => {
    await send('POST', '/auth/v1/otp', { body: { email } })
    const { body } = await send('POST', '/auth/v1/verify', {
      body: { type: 'email', email, token: await wallet.codeFor(email) },
    })
    return { token: String(body['access_token']), email }
  }
  const proof = (): { readonly verifier: string; readonly challenge: string } => {
    const verifier = randomBytes(32).toString('base64url')
    return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
  }
  const request = (challenge: string, change: object = {}): object => ({
    response_type: 'code',
    client_id: 'editor',
    redirect_uri: redirectUri,
    state: 'a state of the page',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...change,
  })
  const codeOf = async (token: string, challenge: string, change: object = {}): Promise<string> => {
    const { status, body } = await send('POST', '/oauth/authorize', { token, body: request(challenge, change) })
    if (status !== 200) throw new Error(JSON.stringify(body))
    return new URL(String(body['redirect_to'])).searchParams.get('code') ?? ''
  }
  const trade = (code: string, verifier: string, change: object = {}): Promise<Answer> =>
    send('POST', '/oauth/token', {
      origin: editor,
      body: {
        grant_type: 'authorization_code',
        client_id: 'editor',
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
        ...change,
      },
    })
  const clientSession = async (): Promise<{
    readonly token: string
    readonly client: string
    readonly refreshToken: string
  }> => {
    const { token } = await signIn()
    const { verifier, challenge } = proof()
    const { body } = await trade(await codeOf(token, challenge), verifier)
    return { token, client: String(body['access_token']), refreshToken: String(body['refresh_token']) }
  }

  it('returns a code and the state to the registered page, which exchanges the code for a separate session', async () => {
    const { token, email } = await signIn()
    const { verifier, challenge } = proof()
    const requested = await send('POST', '/oauth/authorize', { token, body: request(challenge) })
    const url = new URL(String(requested.body['redirect_to']))
    expect([`${url.origin}${url.pathname}`, url.searchParams.get('state'), [...url.searchParams.keys()]]).to.deep.equal(
      [redirectUri, 'a state of the page', ['code', 'state']],
    )
    const { status, body, headers } = await trade(url.searchParams.get('code') ?? '', verifier)
    expect([
      status,
      body['token_type'],
      headers.get('access-control-allow-origin'),
      headers.get('cache-control'),
    ]).to.deep.equal([200, 'bearer', editor, 'no-store'])
    expect(headers.get('access-control-allow-credentials')).to.equal(null)
    expect(body['user']).to.deep.include({ email })
    const [of, own] = [decodeJwt(String(body['access_token'])), decodeJwt(token)]
    expect([of['client_id'], own['client_id']]).to.deep.equal(['editor', undefined])
    expect(of['session_id']).to.not.equal(own['session_id'])
    expect(
      (await send('GET', '/auth/v1/user', { token: String(body['access_token']), origin: editor })).status,
    ).to.equal(200)
  })

  it('redirects to no other page', async () => {
    const { token } = await signIn()
    const { challenge } = proof()
    for (const uri of [
      `${redirectUri}/`,
      `${redirectUri}?x=1`,
      `${redirectUri}#x`,
      `${editor}/`,
      'https://editor.example.com.evil.example/developer/callback',
      'http://editor.example.com/developer/callback',
      'https://editor.example.com@evil.example/developer/callback',
      'HTTPS://editor.example.com/developer/callback',
      'https://editor.example.com:443/developer/callback',
      'javascript:alert(1)',
      '//evil.example',
      '',
      'https://other.example.com/back',
      `${editor}/developer/../developer/callback`,
    ])
      expect(
        (await send('POST', '/oauth/authorize', { token, body: request(challenge, { redirect_uri: uri }) })).status,
        uri,
      ).to.equal(400)
    for (const change of [
      { client_id: 'nobody' },
      { client_id: '__proto__' },
      { response_type: 'token' },
      { code_challenge_method: 'plain' },
      { code_challenge: 'x' },
      { code_challenge: undefined },
      { state: 'short' },
      { state: undefined },
    ])
      expect(
        (await send('POST', '/oauth/authorize', { token, body: request(challenge, change) })).status,
        JSON.stringify(change),
      ).to.equal(400)
  })

  it('issues codes only to wallet pages with a wallet session', async () => {
    const { challenge } = proof()
    expect((await send('POST', '/oauth/authorize', { body: request(challenge) })).status).to.equal(401)
    const { token, client } = await clientSession()
    for (const origin of [editor, 'null', 'https://evil.example'])
      expect(
        (await send('POST', '/oauth/authorize', { token, origin, body: request(challenge) })).status,
        origin,
      ).to.equal(403)
    expect((await send('POST', '/oauth/authorize', { token: client, body: request(challenge) })).status).to.equal(403)
    for (const path of ['/oauth/authorize', '/session', '/functions/v1/passkey-auth']) {
      expect(
        (await send('OPTIONS', path, { origin: editor })).headers.get('access-control-allow-origin'),
        path,
      ).to.equal(null)
    }
    expect(
      (await send('OPTIONS', '/oauth/token', { origin: 'https://evil.example' })).headers.get(
        'access-control-allow-origin',
      ),
    ).to.equal(null)
  })

  it('accepts a code once, also concurrently, and invalidates it after any failed exchange', async () => {
    const { token } = await signIn()
    const { verifier, challenge } = proof()
    const code = await codeOf(token, challenge)
    const answers = await Promise.all(Array.from({ length: 6 }, () => trade(code, verifier)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 400, 400, 400, 400, 400])
    for (const change of [
      { code_verifier: proof().verifier },
      { client_id: 'other' },
      { redirect_uri: `${editor}/` },
      { client_id: 'other', redirect_uri: 'https://other.example.com/back' },
    ]) {
      const next = await codeOf(token, challenge)
      expect((await trade(next, verifier, change)).body['code'] ?? '', JSON.stringify(change)).to.equal('invalid-grant')
      expect((await trade(next, verifier)).status).to.equal(400)
    }
    const late = await codeOf(token, challenge)
    await wallet.pool.query('update wallet_auth.client_codes set expires_at = now()')
    expect((await trade(late, verifier)).status).to.equal(400)
    // Client codes are invalid at GoTrue's token endpoint, and vice versa.
    const plain = await codeOf(token, challenge)
    expect(
      (await send('POST', '/auth/v1/token?grant_type=pkce', { body: { auth_code: plain, code_verifier: verifier } }))
        .status,
    ).to.equal(404)
    expect((await send('POST', '/auth/v1/verify', { body: { type: 'magiclink', token_hash: plain } })).status).to.equal(
      403,
    )
  })

  it('issues a session that can read the user, but not change passkeys or the user', async () => {
    const { token, client } = await clientSession()
    const passkey = (endpoint: string, access: string, data: object = {}): Promise<Answer> =>
      send('POST', '/functions/v1/passkey-auth', { token: access, body: { endpoint, data } })
    const registration = (await passkey('/register/start', token)).body['data'] as {
      readonly options: CreationOptions
      readonly challengeId: string
    }
    const authenticator = new SoftAuthenticator(wallet.url)
    expect(
      (
        await passkey('/register/finish', token, {
          challengeId: registration.challengeId,
          response: authenticator.create(registration.options),
        })
      ).status,
    ).to.equal(200)
    for (const endpoint of [
      '/register/start',
      '/register/finish',
      '/passkeys/list',
      '/passkeys/confirm',
      '/passkeys/remove',
      '/passkeys/update',
      '/wallet/provision',
      '/wallet/accounts',
    ]) {
      const { status, body } = await passkey(endpoint, client)
      expect([endpoint, status, (body['error'] as { code: string }).code]).to.deep.equal([
        endpoint,
        403,
        'CLIENT_NOT_ALLOWED',
      ])
    }
    expect((await send('PUT', '/auth/v1/user', { token: client, body: { data: { name: 'x' } } })).status).to.equal(403)
    expect((await send('PUT', '/auth/v1/user', { token: client, body: { email: 'x@example.com' } })).status).to.equal(
      403,
    )
    expect((await send('DELETE', '/auth/v1/user', { token: client })).status).to.equal(403)
    expect(
      (await send('POST', '/auth/v1/verify', { token: client, body: { type: 'email_change', token_hash: 'x' } }))
        .status,
    ).to.equal(403)
    // An assertion from the client's page does not sign in at the wallet.
    const started = (await passkey('/login/start', token)).body['data'] as {
      readonly options: RequestOptions
      readonly challengeId: string
    }
    const response = authenticator.get(started.options, { origin: editor })
    expect((await passkey('/login/finish', token, { challengeId: started.challengeId, response })).status).to.equal(401)
  })

  it("rejects a transaction that a passkey signed on the client's page", async () => {
    const { token } = await signIn()
    const passkey = async <Data>(endpoint: string, data: object): Promise<Data> =>
      (await send('POST', '/functions/v1/passkey-auth', { token, body: { endpoint, data } })).body['data'] as Data
    const registration = await passkey<{ readonly options: CreationOptions; readonly challengeId: string }>(
      '/register/start',
      {},
    )
    const authenticator = new SoftAuthenticator(wallet.url)
    const { credentialId, publicKeySec1Hex } = await passkey<{
      readonly credentialId: string
      readonly publicKeySec1Hex: string
    }>('/register/finish', {
      challengeId: registration.challengeId,
      response: authenticator.create(registration.options),
    })
    const address = wallet.createAccount(publicKeySec1Hex)
    const pay = async (origin: string): Promise<Answer> => {
      const signed = await signTransaction(
        {
          ...sendFlow('emulator', { amount: 5_000_000_000n, to: otherAddress() }),
          computeLimit: 999,
          referenceBlockId: 'ab'.repeat(32),
          payer: address,
          authorizers: [address],
          proposalKey: { address, keyIndex: 0, sequenceNumber: 0n },
          payloadSignatures: [],
          envelopeSignatures: [],
        },
        {
          address,
          keyIndex: 0,
          rpId: 'localhost',
          credentialId: bytesOfBase64Url(credentialId, 'id'),
          publicKey: bytesOfHex(publicKeySec1Hex, 'key'),
        },
        {
          getCredential: ({ publicKey: { challenge } }) => {
            const { response } = authenticator.get(
              { challenge: Buffer.from(challenge).toString('base64url'), rpId: 'localhost' },
              { origin },
            )
            const bytes = (text: string): Buffer => Buffer.from(text, 'base64url')
            return Promise.resolve({
              response: {
                authenticatorData: bytes(response.authenticatorData),
                clientDataJSON: bytes(response.clientDataJSON),
                signature: bytes(response.signature),
              },
            })
          },
        },
      )
      return send('POST', '/chain/testnet/transactions', { body: submission(signed) })
    }
    for (const origin of [editor, 'http://localhost:3003', 'null', '']) {
      const { status, body } = await pay(origin)
      expect([status, body['code'] ?? body['type']], origin).to.deep.equal([422, 'origin-not-allowed'])
    }
    expect((await pay(wallet.url)).status).to.equal(200)
  })

  it('ends with the wallet session that started it, and ends no other session', async () => {
    const { token, client, refreshToken } = await clientSession()
    const refreshed = await send('POST', '/auth/v1/token?grant_type=refresh_token', {
      origin: editor,
      body: { refresh_token: refreshToken },
    })
    expect([refreshed.status, decodeJwt(String(refreshed.body['access_token']))['client_id']]).to.deep.equal([
      200,
      'editor',
    ])
    const other = await clientSession()
    expect((await send('POST', '/auth/v1/logout?scope=global', { token: other.client })).status).to.equal(204)
    expect((await send('GET', '/auth/v1/user', { token: other.client })).status).to.equal(403)
    expect((await send('GET', '/auth/v1/user', { token: other.token })).status).to.equal(200)
    expect((await send('POST', '/auth/v1/logout?scope=local', { token })).status).to.equal(204)
    for (const access of [token, client])
      expect((await send('GET', '/auth/v1/user', { token: access })).status).to.equal(403)
    expect(
      (
        await send('POST', '/auth/v1/token?grant_type=refresh_token', {
          body: { refresh_token: String(refreshed.body['refresh_token']) },
        })
      ).status,
    ).to.equal(400)
    const { verifier, challenge } = proof()
    const gone = await signIn()
    const code = await codeOf(gone.token, challenge)
    await send('POST', '/auth/v1/logout?scope=local', { token: gone.token })
    expect((await trade(code, verifier)).status).to.equal(400)
  })

  it('writes no codes into the log or the database', async () => {
    const { token } = await signIn()
    const { verifier, challenge } = proof()
    const code = await codeOf(token, challenge)
    await fetch(`${wallet.url}/developer/callback?code=${code}&state=x`)
    await fetch(`${wallet.url}/authorize?code=${code}`)
    const { rows } = await wallet.pool.query('select c::text from wallet_auth.client_codes c')
    expect(JSON.stringify(rows)).to.not.include(code).and.not.include(Buffer.from(code).toString('hex'))
    await trade(code, verifier)
    const log = wallet.logged.join('')
    expect(log).to.include('/oauth/token')
    for (const secret of [code, verifier, token]) expect(log.includes(secret)).to.equal(false)
  })

  it('limits requests per client network', async () => {
    const { token } = await signIn()
    const statuses: number[] = []
    for (let count = 0; count <= clientLimits.token.max; count++)
      statuses.push((await trade('no-code', 'x'.repeat(43))).status)
    expect([statuses.slice(0, -1).every((status) => status === 400), statuses.at(-1)]).to.deep.equal([true, 429])
    const { challenge } = proof()
    for (let count = 0; count < clientLimits.authorize.max; count++) await codeOf(token, challenge)
    expect((await send('POST', '/oauth/authorize', { token, body: request(challenge) })).status).to.equal(429)
  })
})
