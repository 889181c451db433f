import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A user's data at a provider, and the provider's faults. */
export interface ProviderWorld {
  readonly github?: { readonly user: object; readonly emails: unknown }
  /** Overrides of the ID token's claims. */
  readonly google?: Readonly<Record<string, unknown>>
  /** Signs with an unpublished key. */
  readonly isForged?: boolean
  /** Status of the token endpoint. */
  readonly tokenStatus?: number
}

export interface MockProviders {
  readonly github: { authorize: string; token: string; user: string; emails: string }
  readonly google: { authorize: string; token: string; keys: string; issuers: string[] }
  /** The user's data. */
  world: ProviderWorld
  /** Forms sent to the token endpoints. */
  readonly trades: URLSearchParams[]
  /**
   * Follows a redirect to the provider and grants access.
   * @returns the URL that the provider redirects to
   */
  agree(url: string): string
  close(): Promise<void>
}

const secret = 'the-secret-of-the-application'

/**
 * Mock GitHub and Google on loopback: they check the code, its verifier, the redirect URI and the
 * client.
 */
export async function startMockProviders(): Promise<MockProviders> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const forger = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  const codes = new Map<
    string,
    { readonly challenge: string; readonly nonce: string | null; readonly redirectUri: string }
  >()
  const trades: URLSearchParams[] = []
  const mock: { world: ProviderWorld } = { world: {} }

  const trade = async (path: string, form: URLSearchParams): Promise<[number, object]> => {
    trades.push(form)
    if (mock.world.tokenStatus !== undefined)
      return [mock.world.tokenStatus, { error: 'server_error', echoed: form.toString() }]
    const started = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isGood =
      started !== undefined &&
      started.challenge === challenge &&
      started.redirectUri === form.get('redirect_uri') &&
      form.get('client_secret') === secret
    if (!isGood) return [path === '/github/token' ? 200 : 400, { error: 'bad_verification_code' }]
    if (path === '/github/token') return [200, { access_token: 'gho_of-github', token_type: 'bearer' }]
    const idToken = await new SignJWT({
      email: 'g@example.com',
      email_verified: true,
      name: 'G',
      nonce: started.nonce,
      sub: '1100',
      iss: 'https://accounts.google.com',
      aud: 'google-app',
      exp: Math.floor(Date.now() / 1000) + 300,
      ...mock.world.google,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuedAt()
      .sign(mock.world.isForged === true ? forger.privateKey : privateKey)
    return [200, { id_token: idToken, access_token: 'of-google' }]
  }

  const agree = (text: string): string => {
    const given = new URL(text).searchParams
    const code = `code-${codes.size}-${Math.random()}`
    codes.set(code, {
      challenge: given.get('code_challenge') ?? '',
      nonce: given.get('nonce'),
      redirectUri: given.get('redirect_uri') ?? '',
    })
    const back = new URL(given.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', given.get('state') ?? '')
    return back.href
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
      if (pathname.endsWith('/authorize'))
        return response.writeHead(302, { Location: agree(`${base}${pathname}${search}`) }).end()
      const answer = async (): Promise<[number, unknown]> => {
        if (pathname.endsWith('/token')) return trade(pathname, new URLSearchParams(Buffer.concat(chunks).toString()))
        if (pathname === '/google/keys') return [200, { keys: [jwk] }]
        if (request.headers.authorization !== 'Bearer gho_of-github') return [401, {}]
        return [200, pathname === '/github/user' ? mock.world.github?.user : mock.world.github?.emails]
      }
      return void answer().then(([status, body]) =>
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)),
      )
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(mock, {
    trades,
    github: {
      authorize: `${base}/github/authorize`,
      token: `${base}/github/token`,
      user: `${base}/github/user`,
      emails: `${base}/github/emails`,
    },
    google: {
      authorize: `${base}/google/authorize`,
      token: `${base}/google/token`,
      keys: `${base}/google/keys`,
      issuers: ['https://accounts.google.com', 'accounts.google.com'],
    },
    agree,
    close: async () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  })
}
