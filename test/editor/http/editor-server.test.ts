import { expect } from 'chai'
import { expectNotFoundPage } from '../../support/not-found-page.ts'
import { pino } from 'pino'
import { addressList, clientReader } from '../../../src/platform/limits/clients.ts'
import { RetryableError } from '../../../src/platform/errors.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { routesOf } from '../../../src/platform/http/route.ts'
import type { Answer } from '../../../src/platform/http/route.ts'
import { createEditorServer } from '../../../src/editor/editor-server.ts'
import type { HttpServer } from '../../../src/platform/http/server.ts'
import type { EditorParts, EditorServerOptions, EditorSettings } from '../../../src/editor/editor-server.ts'

/** Projects with one route, `/p`. */
function projectsWith(handler: () => Promise<Answer<unknown>> = () => Promise.resolve({})): EditorParts['projects'] {
  const route = routesOf<unknown>()({ path: '/p', operationId: 'projects', tag: 'Projects', summary: '', handler })
  return { routes: [route], guards: {}, cors: (_, next) => next() }
}

const settings: EditorSettings = {
  url: 'http://localhost:3003',
  lsp_url: 'ws://localhost:3002/lsp',
  networks: [{ network: 'testnet', api_url: 'https://rest-testnet.onflow.org', is_default: true, contracts: {} }],
  language_server: { kind: 'parser', label: 'Cadence 1.0 parser' },
  tests: { is_on: false, reason: 'No CLI.' },
  wallet: null,
  github: { is_on: false, install_url: null },
  samples: [],
  limits: { files: 500, file_bytes: 1_000_000, project_bytes: 5_000_000 },
}

describe('editor HTTP server', () => {
  let server: HttpServer | undefined
  afterEach(async () => {
    await server?.close()
    server = undefined
  })

  const start = async (
    parts: Partial<EditorParts> = {},
    options: Partial<EditorServerOptions> = {},
  ): Promise<(path: string, init?: RequestInit) => Promise<Response>> => {
    server = await createEditorServer({
      host: '127.0.0.1',
      port: 0,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      clientOf: clientReader(addressList([])),
      open: () => Promise.resolve({ settings: () => settings, projects: projectsWith(), github: undefined, ...parts }),
      ...options,
    })
    const { port } = server
    return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init)
  }

  it('serves health and page settings uncached', async () => {
    const call = await start()
    expect(await (await call('/health')).json()).to.deep.equal({ status: 'ok', service: 'editor' })
    const reported = await call('/editor/settings')
    expect(await reported.json()).to.deep.equal(settings)
    expect([
      reported.headers.get('cache-control'),
      reported.headers.get('x-frame-options'),
      reported.headers.get('x-content-type-options'),
      reported.headers.get('content-security-policy'),
    ]).to.deep.equal(['no-store', 'DENY', 'nosniff', "default-src 'none'; frame-ancestors 'none'"])
    expect(reported.headers.get('access-control-allow-origin')).to.equal(null)
  })

  it('serves projects and the page', async () => {
    const call = await start({
      projects: projectsWith(() => Promise.resolve({ body: 'projects' })),
      page: async (context, next) => {
        if (context.path === '/') context.body = 'page'
        else await next()
      },
    })
    for (const [path, text] of [
      ['/p', 'projects'],
      ['/', 'page'],
    ] as const)
      expect(await (await call(path)).text()).to.equal(text)
    const none = await call('/none')
    expect([none.status, none.headers.get('content-type')]).to.deep.equal([404, 'application/problem+json'])
    await expectNotFoundPage(none.url.replace(/\/none$/, ''))
  })

  it('reports that no GitHub App is configured', async () => {
    const call = await start()
    const answer = await call('/github/repos')
    expect([answer.status, ((await answer.json()) as { code: string }).code]).to.deep.equal([503, 'no-github'])
  })

  it('responds to temporary failures with 503', async () => {
    const call = await start({
      projects: projectsWith(() =>
        Promise.reject(new RetryableError('database-unreachable', 'secret address of the database')),
      ),
    })
    const answer = await call('/p')
    expect([answer.status, answer.headers.get('retry-after'), (await answer.text()).includes('secret')]).to.deep.equal([
      503,
      '1',
      false,
    ])
  })

  it('limits the request rate of a client', async () => {
    const call = await start({}, { settingsPerMinute: 2 })
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) statuses.push((await call('/editor/settings')).status)
    expect(statuses).to.deep.equal([200, 200, 429])
  })

  it('releases its port after a failed start', async () => {
    let port = 0
    const failed = await createEditorServer({
      host: '127.0.0.1',
      port: 0,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      clientOf: clientReader(addressList([])),
      open: (picked) => {
        port = picked
        return Promise.reject(new Error('cannot be'))
      },
    }).then(
      () => 'started',
      (error: unknown) => String(error),
    )
    expect(failed).to.equal('Error: cannot be')
    expect(
      await fetch(`http://127.0.0.1:${port}/health`).then(
        () => 'answered',
        () => 'closed',
      ),
    ).to.equal('closed')
  })
})
