import { expect } from 'chai'
import { pino } from 'pino'
import { createEditorServer } from '../../../src/editor/editor-server.ts'
import type { HttpServer } from '../../../src/platform/http/server.ts'
import { addressList, clientReader } from '../../../src/platform/limits/clients.ts'
import { ApiError } from '../../../src/platform/errors.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import type { TestProgram, TestReport } from '../../../src/editor/test-runs/run-tests.ts'
import { createTestRoutes, testRunLimits } from '../../../src/editor/test-runs/test-routes.ts'
import type { TestRunLimits } from '../../../src/editor/test-runs/test-routes.ts'

const report: TestReport = { outcomes: [], error: null, log: '', duration_ms: 1 }
const body = { files: [{ path: 'a_test.cdc', content: '' }], tests: ['a_test.cdc'] }

describe('POST /editor/tests', () => {
  let server: HttpServer | undefined
  afterEach(async () => {
    await server?.close()
    server = undefined
  })

  const start = async (
    program: TestProgram,
    limits: Partial<TestRunLimits> = {},
  ): Promise<(data: unknown, user?: string) => Promise<{ status: number; code: string }>> => {
    const tests = createTestRoutes({
      program,
      authenticate: (token) =>
        token === 'bad'
          ? Promise.reject(new ApiError(401, 'UNAUTHORIZED', 'Sign in.'))
          : Promise.resolve({ userId: token }),
      limits: { ...testRunLimits, ...limits },
    })
    server = await createEditorServer({
      host: '127.0.0.1',
      port: 0,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      clientOf: clientReader(addressList([])),
      open: () =>
        Promise.resolve({
          settings: () => {
            throw new Error('not used')
          },
          projects: { routes: [], guards: {}, cors: (_, next) => next() },
          github: undefined,
          tests,
        }),
    })
    const { port } = server
    return async (data, user) => {
      const answer = await fetch(`http://127.0.0.1:${port}/editor/tests`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(user === undefined ? {} : { authorization: `Bearer ${user}` }),
        },
        body: JSON.stringify(data),
      })
      const { code = '' } = (await answer.json()) as { readonly code?: string }
      return { status: answer.status, code }
    }
  }
  const on: TestProgram = { isOn: true, run: () => Promise.resolve(report) }

  it('requires sign-in, and says if it is not available', async () => {
    const call = await start(on)
    expect(await call(body)).to.include({ status: 401 })
    expect(await call(body, 'bad')).to.include({ status: 401 })
    expect(await call(body, 'a')).to.include({ status: 200 })
    await server?.close()
    const off = await start({ isOn: false, reason: 'No CLI.' })
    expect(await off(body, 'a')).to.deep.equal({ status: 503, code: 'no-tests' })
  })

  it('refuses paths outside of the project, options and too many files', async () => {
    const call = await start(on, { perUser: 100 })
    const files = (paths: readonly string[]): object => ({
      ...body,
      files: paths.map((path) => ({ path, content: '' })),
    })
    for (const path of ['../a_test.cdc', '/etc/a_test.cdc', 'a\0_test.cdc'])
      expect(await call({ ...files([path]), tests: [path] }, 'a'), path).to.include({ status: 422 })
    expect(await call(files(['a_test.cdc', 'a_test.cdc/b']), 'a')).to.include({ status: 422 })
    for (const tests of [
      [],
      ['--x_test.cdc'],
      ['b_test.cdc'],
      ['a.cdc'],
      Array.from({ length: 51 }, () => 'a_test.cdc'),
    ])
      expect(await call({ ...body, tests }, 'a'), tests.join()).to.include({ status: 400 })
    const many = Array.from({ length: 499 }, (_, at) => `${at}.cdc`)
    expect(await call(files(['a_test.cdc', ...many]), 'a')).to.include({ status: 200 })
    expect(await call(files(['a_test.cdc', 'b', ...many]), 'a')).to.include({ status: 400 })
    expect(await call({ ...body, files: [{ path: 'a_test.cdc', content: 'x'.repeat(6_000_000) }] }, 'a')).to.include({
      status: 413,
    })
  })

  it('bounds runs per user, per minute and overall', async () => {
    const gates: (() => void)[] = []
    let waiting: (() => void) | undefined
    const run = (): Promise<TestReport> =>
      new Promise((resolve) => {
        gates.push(() => resolve(report))
        waiting?.()
      })
    const untilRunning = async (count: number): Promise<void> => {
      while (gates.length < count) await new Promise<void>((resolve) => (waiting = resolve))
    }
    const call = await start({ isOn: true, run }, { atOnce: 2, maxWaitMs: 100, perUser: 2 })
    const first = call(body, 'a')
    await untilRunning(1)
    expect(await call(body, 'a')).to.include({ status: 429 })
    const second = call(body, 'b')
    await untilRunning(2)
    expect(await call(body, 'c')).to.include({ status: 503 })
    const third = call(body, 'd')
    gates[0]?.()
    expect(await first).to.include({ status: 200 })
    await untilRunning(3)
    for (const open of gates) open()
    expect([await second, await third].map(({ status }) => status)).to.deep.equal([200, 200])
    const fourth = call(body, 'a')
    await untilRunning(4)
    gates[3]?.()
    expect(await fourth).to.include({ status: 200 })
    expect(await call(body, 'a')).to.deep.equal({ status: 429, code: 'rate-limited' })
  })
})
