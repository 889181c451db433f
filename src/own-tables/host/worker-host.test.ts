import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import type { DeriveProblem } from '../../../jobs/worker.ts'
import type { PlacedEvent } from '../../flow/decoded-block.ts'
import { CopyWriter } from '../../platform/db/copy-writer.ts'
import { FatalError, FlowfarmError } from '../../platform/errors.ts'
import type { OwnDeclaration } from '../declaration.ts'
import { readDeclaration } from '../read-declaration.ts'
import { hostLimits } from './limits.ts'
import type { HostLimits } from './limits.ts'
import { WorkerHost } from './worker-host.ts'

const contract = 'A.0000000000000001.Shop'
const header = `
  import { defineWorker } from 'flowfarm/worker'
  const declared = {
    contract: '${contract}', version: 1,
    tables: { sales: { columns: { id: { type: 'numeric', index: true }, note: { type: 'jsonb', optional: true } } } },
  }`
const workerOf = (derive: string, before = ''): string =>
  `${header}\n${before}\nexport default defineWorker()({ ...declared, derive(event, write) { ${derive} } } as never)\n`

function event(height: number, fields: PlacedEvent['fields'] = { id: String(height) }): PlacedEvent {
  return {
    height,
    timestampUs: height * 1_000_000,
    txIndex: 2,
    transactionId: Buffer.alloc(32, height),
    index: 3,
    type: `${contract}.Sold`,
    fields,
  }
}

/** Only tests of time limits may depend on time. */
const quick: HostLimits = {
  ...hostLimits,
  batchMs: 60_000,
  loadMs: 60_000,
  heapMib: 64,
  residentBytes: 300 * 1024 * 1024,
}
const short: HostLimits = { ...quick, batchMs: 300 }

describe('the process of an own worker', () => {
  const root = mkdtempSync(join(tmpdir(), 'flowfarm-own-'))
  let logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
  const hosts: WorkerHost[] = []
  let count = 0

  beforeEach(() => {
    logged = []
  })
  afterEach(() => {
    for (const host of hosts.splice(0)) host.stop()
  })
  after(() => rmSync(root, { recursive: true }))

  function hostOf(files: Readonly<Record<string, string>>, limits = quick): { host: WorkerHost; folder: string } {
    const folder = join(root, `w${++count}`)
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const host = new WorkerHost({ name: 'own_shop', folder, log, limits })
    hosts.push(host)
    return { host, folder }
  }

  async function derive(
    host: WorkerHost,
    events: readonly PlacedEvent[] = [event(7)],
    signal = new AbortController().signal,
  ): Promise<CopyWriter> {
    const writer = new CopyWriter()
    const declaration = await declarationOf(host)
    await host.derive(events, declaration, { rows: () => writer, problem: (one) => problems.push(one) }, signal)
    return writer
  }
  const problems: DeriveProblem[] = []
  const declarations = new WeakMap<WorkerHost, OwnDeclaration>()
  async function declarationOf(host: WorkerHost): Promise<OwnDeclaration> {
    const known = declarations.get(host) ?? readDeclaration((await host.load()).definition)
    declarations.set(host, known)
    return known
  }
  async function errorOf(promise: Promise<unknown>): Promise<FlowfarmError> {
    const error: unknown = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (!(error instanceof FlowfarmError)) throw new Error(`not a FlowfarmError: ${String(error)}`, { cause: error })
    return error
  }
  const failure = (derived: string, before?: string, limits = quick): Promise<FlowfarmError> =>
    errorOf(derive(hostOf({ 'worker.ts': workerOf(derived, before) }, limits).host))

  it('derives rows with types, imports and packages', async () => {
    const { host } = hostOf({
      'worker.ts': workerOf(
        'write.sales({ id: twice(BigInt(event.fields.id)), note: { at: event.timestamp.getTime(), event, version } })',
        `import { twice } from './lib/twice.ts'; import type { A } from './none.ts'; import { version } from 'pkg'`,
      ),
      'lib/twice.ts': 'export const twice = (n: bigint): bigint => n * 2n',
      'node_modules/pkg/package.json': '{"name":"pkg","version":"1.0.0","type":"module","exports":"./index.js"}',
      'node_modules/pkg/index.js': `import { createHash } from 'node:crypto'; export const version = createHash('md5').update('').digest('hex').length`,
    })
    const writer = await derive(host, [event(7), event(8, { id: '123456789012345678901234567890' })])
    expect(writer.rowCount).to.equal(2)
    const text = writer.out.bytes.subarray(0, writer.out.position).toString()
    expect(text).to.include('"at":7000').and.include('"version":32').and.include('"name":"Sold"')
    expect(text)
      .to.include('"id":"123456789012345678901234567890"')
      .and.include(`"transactionId":"${'07'.repeat(32)}"`)
  })

  it('reports the hash of the loaded files only', async () => {
    const files = { 'worker.ts': workerOf(''), 'README.md': 'a', 'worker.test.ts': 'broken (' }
    const hash = async (changes: Readonly<Record<string, string>>): Promise<string> =>
      (await hostOf({ ...files, ...changes }).host.load()).codeHash
    const first = await hash({})
    expect(first).to.match(/^[0-9a-f]{64}$/)
    expect(await hash({ 'README.md': 'b', 'worker.test.ts': '' })).to.equal(first)
    expect(await hash({ 'worker.ts': `${workerOf('')} ` })).to.not.equal(first)
  })

  it('loads a package by its exports or main, and a link to a folder', async () => {
    const code = `export default { contract: '${contract}', version: 1, tables: { a: { columns: {} } }, derive() {} }`
    const forms: readonly Readonly<Record<string, string>>[] = [
      { 'package.json': '{"name":"@a/w","type":"module","exports":{"import":"./w.js"}}', 'w.js': code },
      { 'package.json': '{"type":"module","main":"w.js"}', 'w.js': code },
      { 'package.json': '{"main":"./w.js"}', 'w.js': code.replace('export default', 'module.exports =') },
      {
        'worker.js': `export { default } from 'p'`,
        'node_modules/p/package.json': '{"main":"w.mjs"}',
        'node_modules/p/w.mjs': code,
      },
    ]
    for (const [i, files] of forms.entries()) {
      const { host, folder } = hostOf(files)
      expect((await host.load()).definition, `form ${i}`).to.have.property('contract', contract)
      if (i > 0) continue
      symlinkSync(folder, `${folder}-link`)
      const linked = new WorkerHost({ name: 'own_shop', folder: `${folder}-link`, log, limits: quick })
      hosts.push(linked)
      expect((await linked.load()).codeHash).to.equal((await host.load()).codeHash)
    }
  })

  it('names file and line of errors, and continues with the next batch', async () => {
    const code = workerOf(`if (event.height === 8) {\n event.fields.nothing.here }\nwrite.sales({ id: event.height })`)
    const { host } = hostOf({ 'worker.ts': code })
    const line = code.split('\n').findIndex((text) => text.includes('nothing')) + 1
    const error = await errorOf(derive(host, [event(7), event(8)]))
    expect(error).to.include({ code: 'own-worker-failed' })
    expect(error.message).to.equal(
      `Could not derive own_shop at worker.ts:${line} for ${contract}.Sold in block 8 (transaction ${'08'.repeat(32)}, ` +
        `event 3): TypeError: Cannot read properties of undefined (reading 'here')`,
    )
    expect(error.stack).to.include(`worker.ts:${line}`).and.not.include('process-main')
    expect((await derive(host, [event(7), event(9)])).rowCount).to.equal(2)
  })

  it('explains code that cannot be loaded', async () => {
    const cases: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [{ 'other.ts': '' }, 'has no worker.ts, worker.js, or package.json with exports'],
      [{ 'worker.ts': 'export default 1' }, 'The default export is not a worker'],
      [{ 'worker.ts': 'export const a = 1' }, "does not provide an export named 'default'"],
      [{ 'worker.ts': 'export default {}' }, 'derive is not a function'],
      [{ 'worker.ts': '\nconst a = (' }, 'own_shop at worker.ts:2'],
      [{ 'worker.ts': 'enum A { B }\nexport default A' }, 'enum is not supported'],
      [{ 'worker.ts': `import './none.ts'` }, 'none.ts'],
      [{ 'worker.ts': 'await new Promise(() => {})\nexport default {}' }, 'await'],
      [
        { 'worker.ts': `import 'p'`, 'node_modules/p/package.json': '{"main":"a.ts"}', 'node_modules/p/a.ts': '' },
        'node_modules',
      ],
      [{ 'package.json': '{' }, 'package.json is not JSON'],
    ]
    for (const [files, message] of cases) {
      const error = await errorOf(hostOf(files).host.load())
      expect(error.message, JSON.stringify(files)).to.include(message)
    }
  }).timeout(60_000)

  it('refuses effects', async () => {
    const server = createServer(() => expect.fail('connected'))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      const effects = [
        `process.exit(1)`,
        `process.kill(process.ppid)`,
        `process.abort()`,
        `process.getBuiltinModule('fs').readFileSync('/proc/1/environ')`,
        `process.binding('fs')`,
        `process.env.DB_URL.length`,
        `new Function('return process')().kill(1)`,
        `eval('process').mainModule.require('fs')`,
        `fetch('http://127.0.0.1:${port}')`,
        `new WebSocket('ws://127.0.0.1:${port}')`,
        `require('node:net').connect(${port}, '127.0.0.1')`,
      ]
      const tried = effects.map((effect) => `() => { ${effect} }`).join()
      const results = `[${tried}].map((effect) => { try { effect(); return 'done' } catch (e) { return 'refused' } })`
      const writer = await derive(hostOf({ 'worker.ts': workerOf(`write.sales({ id: 1, note: ${results} })`) }).host)
      const text = writer.out.bytes.subarray(0, writer.out.position).toString()
      expect(text.match(/refused/g)).to.have.length(effects.length)
    } finally {
      server.close()
    }
  }).timeout(60_000)

  it('refuses modules with effects, and files outside its folder', async () => {
    const outside = join(root, 'outside.js')
    writeFileSync(outside, '')
    const modules = 'fs node:fs/promises net child_process worker_threads node:process module v8 inspector os http vm'
    const attempts = [
      ...modules.split(' ').map((module) => `require('${module}')`),
      `module.constructor._load('fs')`,
      `module.constructor.createRequire(__filename)('node:child_process')`,
      `module.constructor.registerHooks({})`,
      `require(${JSON.stringify(outside)})`,
      `require('/proc/self/environ')`,
      `require('/proc/1/environ')`,
    ]
    const results = attempts.map(
      (code) => `try { ${code}; results.push('done') } catch (e) { results.push(e.message) }`,
    )
    const code = `const results = []; ${results.join('; ')}; module.exports = { derive() {}, results }`
    const { definition } = await hostOf({ 'worker.js': code }).host.load()
    for (const [i, result] of (definition as { results: string[] }).results.entries())
      expect(result, attempts[i]).to.match(/Could not import|not a function|Cannot find module|restricted/)
    const imported = await failure('', `import * as m from 'node:fs'`)
    expect(imported.message).to.include('Could not import node:fs. A worker is a pure function of its events.')
  })

  it('ends endless loops, promises and waits', async () => {
    const slow = (derived: string): Promise<FlowfarmError> => failure(derived, '', short)
    const loop = await slow('for (;;) {}')
    expect(loop.message).to.match(/Could not derive own_shop for .* in block 7 .*: it did not finish within 0.3 s/)
    for (const derived of [
      'for (;;) {}',
      'try { for (;;) {} } catch { for (;;) {} } finally { for (;;) {} }',
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
      'write.sales({ get id() { for (;;) {} } })',
    ])
      expect(await slow(derived), derived).to.include({ code: 'own-worker-timeout' })
    expect((await failure('return new Promise(() => {})')).message).to.include('derive returned a promise')
    expect((await failure(`throw { get message() { for (;;) {} } }`)).code).to.match(/^own-worker-/)
    const loading = hostOf({ 'worker.ts': 'for (;;) {}' }, { ...quick, loadMs: 300 })
    expect((await errorOf(loading.host.load())).message).to.include('it did not finish within 0.3 s')
  }).timeout(60_000)

  it('ends unbounded allocation', async () => {
    expect(await failure('const all = []; for (;;) all.push(new Array(1000).fill(1))')).to.include({
      code: 'own-worker-memory',
    })
    expect(await failure('const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))')).to.include({
      code: 'own-worker-memory',
    })
  }).timeout(60_000)

  it('limits rows and messages', async () => {
    const rows = { ...quick, rows: 1000 }
    const many = workerOf('for (let i = 0; i < 1000 + event.height; i++) write.sales({ id: i })')
    expect((await derive(hostOf({ 'worker.ts': many }, rows).host, [event(0)])).rowCount).to.equal(1000)
    const error = await errorOf(derive(hostOf({ 'worker.ts': many }, rows).host, [event(1)]))
    expect(error).to.include({ code: 'own-worker-output' })
    expect(error.message).to.include('own_shop wrote more than 1000 rows for 1 events')
    const endless = hostOf({ 'worker.ts': workerOf('for (let i = 0; i < 1e7; i++) write.sales({ id: i })') }, rows)
    expect(await errorOf(derive(endless.host))).to.include({ code: 'own-worker-output' })
    const large = { ...quick, outputBytes: 1_000_000 }
    const text = workerOf(`for (let i = 0; i < 100; i++) write.sales({ id: i, note: 'x'.repeat(1e5) })`)
    expect((await errorOf(derive(hostOf({ 'worker.ts': text }, large).host))).message).to.include('Write fewer rows')
    const huge = workerOf(`write.sales({ id: 1, note: 'x'.repeat(2.2e7) })`)
    const roomy = { ...large, heapMib: 256 }
    expect(await errorOf(derive(hostOf({ 'worker.ts': huge }, roomy).host))).to.include({ code: 'own-worker-output' })
  }).timeout(60_000)

  it('rejects rows that are not of its tables', async () => {
    expect((await failure('write.buyers({ id: 1 })')).message).to.include('write.buyers is not a function')
    expect((await failure('write.sales({ id: 1, price: 2 })')).message).to.include(
      'sales has no column price. Columns: id, note',
    )
    expect((await failure('write.sales(1)')).message).to.include('a row must be an object')
    expect((await failure('write.sales({})')).message).to.include('own_shop.sales.id: the value is missing')
    expect((await failure('write.sales({ id: NaN })')).message).to.include('sales.id: NaN is not a number')
    expect((await failure('write.sales({ id: 1, note: { a: [1n] } })')).message).to.include('BigInt')
    expect((await failure(String.raw`write.sales({ id: 1, note: 'a\0b' })`)).message).to.include(
      String.raw`own_shop.sales.note: "a\u0000b" contains U+0000`,
    )
    const tricks = await failure(
      `write.sales({ id: 1, __proto__: { note: 1 } }); Array.prototype.toJSON = function () { return this.length === 3 ? 'x' : this }
       write.sales({ id: 2 })`,
    )
    expect(tricks.code).to.equal('own-worker-output')
  }).timeout(60_000)

  it('leaves out rows that an index cannot contain, and records them', async () => {
    const writer = await derive(
      hostOf({
        'worker.ts': workerOf("write.sales({ id: event.fields.id }); write.sales({ id: '7'.repeat(3000) })"),
      }).host,
    )
    expect(writer.rowCount).to.equal(1)
    expect(problems.pop()).to.deep.include({ blockHeight: 7, code: 'own-value-oversize' })
  })

  it('logs what the worker prints, within limits', async () => {
    const { host } = hostOf({
      'worker.ts': workerOf(
        `for (let i = 0; i < 1000; i++) console.warn('note', i, 'x'.repeat(1e4)); console.log('info')`,
      ),
    })
    await derive(host)
    expect(logged.length).to.be.within(1, 25)
    expect(logged.join('')).to.include('"worker":"own_shop"').and.include('note 0').and.include('981 more lines')
    expect(logged.join('').length).to.be.below(60_000)
    const quiet = logged.length
    await derive(host)
    expect(logged).to.have.length(quiet, 'repeated lines are suppressed')
  })

  it('starts a fresh process after a failure and when idle', async () => {
    const counting = workerOf('write.sales({ id: ++calls }); if (event.height === 9) throw 1', 'let calls = 0')
    const { host } = hostOf({ 'worker.ts': counting }, { ...quick, idleMs: 50 })
    const last = async (events: PlacedEvent[]): Promise<number> => (await derive(host, events)).out.position
    const first = await last([event(1)])
    expect((await errorOf(derive(host, [event(9)]))).message).to.include('threw 1')
    expect(await last([event(1)])).to.equal(first)
  })

  it('refuses to run files that have changed', async () => {
    const { host, folder } = hostOf({ 'worker.ts': workerOf('if (event.height === 9) throw 1') })
    await derive(host)
    writeFileSync(join(folder, 'worker.ts'), workerOf('write.sales({ id: 1 })'))
    expect((await derive(host)).rowCount).to.equal(0)
    await errorOf(derive(host, [event(9)]))
    expect(await errorOf(derive(host))).to.include({ code: 'own-worker-files-changed' })
  })

  it('ends with its caller', async () => {
    const { host } = hostOf({ 'worker.ts': workerOf('for (;;) {}') })
    await declarationOf(host)
    const controller = new AbortController()
    const running = derive(host, [event(1)], controller.signal)
    controller.abort(new FatalError('stopping', 'the process is stopping'))
    expect(await errorOf(running)).to.include({ code: 'stopping' })
    host.stop()
    expect(await errorOf(derive(host))).to.include({ code: 'own-worker-stopped' })
  })
})
