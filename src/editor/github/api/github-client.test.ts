import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { expect } from 'chai'
import { pino } from 'pino'
import { createGitHubClient, boundedFetch } from './github-client.ts'
import { ApiError, FatalError } from '../../../platform/errors.ts'
import { listenLocally } from '../../../../test/support/listen-locally.ts'

const log = pino({ level: 'silent' })
const app = {
  appId: '1',
  slug: 's',
  clientId: 'c',
  clientSecret: 'x',
  webhookSecret: undefined,
  url: 'https://github.com',
  apiUrl: 'https://api.github.com',
}
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

describe('GitHub client', () => {
  it('accepts a private key with any line breaks, and rejects an invalid one', () => {
    for (const key of [
      privateKey,
      privateKey.replaceAll('\n', '\\n'),
      privateKey.replaceAll('\n', '\r\n'),
      `\n${privateKey}\n`,
    ])
      expect(() => createGitHubClient({ ...app, privateKey: key }, { log })).not.to.throw()
    for (const key of ['', 'x', 'key.pem', privateKey.slice(0, 100), privateKey.replaceAll('\n', ' ')]) {
      expect(() => createGitHubClient({ ...app, privateKey: key }, { log })).to.throw(
        FatalError,
        /GITHUB_APP_PRIVATE_KEY is not a private key/,
      )
    }
  })

  it('calls the configured hosts, including GitHub Enterprise', async () => {
    const called: string[] = []
    const fetch: typeof globalThis.fetch = async (input) => {
      const url = input instanceof Request ? input.url : input.toString()
      called.push(url)
      return Response.json(
        url.endsWith('/access_tokens')
          ? { token: 'ghs_x', expires_at: '2100-01-01T00:00:00Z', permissions: {} }
          : { access_token: 'ghu_x' },
      )
    }
    const client = createGitHubClient(
      { ...app, privateKey, url: 'https://git.example.com/', apiUrl: 'https://git.example.com/api/v3/' },
      { log, fetch },
    )
    expect(await client.tradeCode('code')).to.equal('ghu_x')
    const call = await client.asInstallation(7, { contents: 'read' }, 'r')
    await call('GET /repos/{owner}/{repo}', { owner: 'o/..', repo: 'r' })
    expect(called).to.deep.equal([
      'https://git.example.com/login/oauth/access_token',
      'https://git.example.com/api/v3/app/installations/7/access_tokens',
      'https://git.example.com/api/v3/repos/o%2F../r',
    ])
  })

  it('reports GitHub outages and a rejected App without its key or tokens', async () => {
    const answers: [Response | Error, string][] = [
      [new ApiError(503, 'github-unavailable', 'away'), 'github-unavailable'],
      [Response.json({ message: 'Bad credentials' }, { status: 401 }), 'github-refused-app'],
      [Response.json({ message: 'Not Found' }, { status: 404 }), 'not-installed'],
      [Response.json({ message: 'limit' }, { status: 403, headers: { 'retry-after': '3' } }), 'github-rate-limited'],
      [Response.json({}, { status: 502 }), 'github-unavailable'],
    ]
    for (const [answer, code] of answers) {
      const client = createGitHubClient(
        { ...app, privateKey },
        { log, fetch: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)) },
      )
      const error = await client.asInstallation(8, { contents: 'read' }, 'r').then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (!(error instanceof ApiError)) throw new Error(`${code}: ${String(error)}`)
      expect(error.code).to.equal(code)
      expect(`${error.message}${JSON.stringify(error.details)}`).not.to.match(/BEGIN|ey[\w-]{20}/)
    }
  })
})

describe('GitHub calls', () => {
  const requested: string[] = []
  const server = createServer((request, response) => {
    requested.push(request.url ?? '')
    if (request.url === '/moved') response.writeHead(301, { location: '/elsewhere' }).end()
    else if (request.url === '/long') response.end('x'.repeat(5000))
    else if (request.url === '/never') response.writeHead(200)
    else if (request.url === '/nothing') response.writeHead(204).end()
    else response.writeHead(418, { 'content-type': 'application/json', 'x-own': 'yes' }).end('{"a":1}')
  })
  let origin = ''
  let stop: () => Promise<void>
  before(async () => {
    ;({ url: origin, stop } = await listenLocally(server))
  })
  after(() => stop())
  const codeOf = async (path: string, options = {}): Promise<string> =>
    boundedFetch(
      [origin],
      options,
    )(path).then(
      () => 'answered',
      (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
    )

  it('return the response unchanged', async () => {
    const answer = await boundedFetch([origin])(`${origin}/x`)
    expect([answer.status, answer.headers.get('x-own'), await answer.json()]).to.deep.equal([418, 'yes', { a: 1 }])
    expect((await boundedFetch([origin])(`${origin}/nothing`)).status).to.equal(204)
  })

  it('follow no redirect and reach no other host', async () => {
    expect(await codeOf(`${origin}/moved`)).to.equal('repository-moved')
    expect(requested).not.to.include('/elsewhere')
    for (const url of [
      `http://localhost:${new URL(origin).port}/x`,
      'http://169.254.169.254/',
      `https://${origin.slice(7)}/x`,
      `http://user@127.0.0.1:1/`,
      `http://127.0.0.1:${(Number(new URL(origin).port) % 60_000) + 1}/x`,
    ])
      expect(await codeOf(url), url).to.equal('internal-error')
  })

  it('fail on an oversized response or a timeout', async () => {
    expect(await codeOf(`${origin}/long`, { maxBytes: 4000 })).to.equal('github-too-long')
    expect(await codeOf(`${origin}/never`, { connectTimeoutMs: 50 })).to.equal('github-unavailable')
    server.closeAllConnections()
    server.close()
    expect(await codeOf(`${origin}/x`)).to.equal('github-unavailable')
  })
})
