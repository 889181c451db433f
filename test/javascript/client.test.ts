import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type * as Client from '../../clients/javascript/src/client.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { listenLocally } from '../support/listen-locally.ts'
import { repositoryRoot } from '../support/repository.ts'

const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc')

async function compile(...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [compiler, ...args]).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout, { cause: error })
  })
}

/** Rejected with this error. */
async function errorOf(promise: Promise<unknown>): Promise<Client.FlowfarmError> {
  return promise.then(
    () => {
      throw new Error('The request did not fail.')
    },
    (error: unknown) => error as Client.FlowfarmError,
  )
}

describe('JavaScript client', function () {
  let folder: string
  let client: typeof Client
  let flowfarm: Client.Flowfarm

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-client-'))
    const project = join(repositoryRoot, 'clients/javascript')
    await compile('--project', project, '--outDir', join(folder, 'package/dist'))
    await symlink(join(project, 'package.json'), join(folder, 'package/package.json'))
    client = (await import(pathToFileURL(join(folder, 'package/dist/client.js')).href)) as typeof Client
    const { api } = await exploredChain()
    flowfarm = new client.Flowfarm(`http://${api.host}/`)
  })

  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('returns typed responses', async () => {
    const { data } = await flowfarm.get('/flow/block/{height}', { height: '141' })
    expect(data.map(({ height }) => height)).to.deep.equal([141])
  })

  it('iterates over all pages of a list', async () => {
    const heights: number[] = []
    for await (const { height } of flowfarm.list('/flow/block', { limit: 7 })) {
      heights.push(height)
      if (heights.length === 20) break
    }
    expect(heights).to.deep.equal(Array.from({ length: 20 }, (_, i) => 280 - i))
    const accounts = []
    for await (const account of flowfarm.list('/flow/account', { limit: 5 })) accounts.push(account.address)
    expect(new Set(accounts).size).to.equal(14)
  })

  it('throws errors with the code and field of the API', async () => {
    const invalid = await errorOf(flowfarm.get('/flow/block', { limit: 5000 }))
    expect(invalid).to.be.instanceOf(client.FlowfarmError)
    expect(invalid).to.include({ status: 400, code: 'invalid-parameter', field: 'limit' })
    expect(invalid.requestId).to.be.a('string')
    const unknown = await errorOf(flowfarm.get('/flow/block/{height}', { height: '99999999' }))
    expect(unknown).to.include({ status: 404, code: 'unknown-block' })
    const refused = await errorOf(flowfarm.call('POST /webhooks/endpoints', { body: { url: 'https://a.example' } }))
    expect(refused).to.be.instanceOf(client.FlowfarmError)
    expect(refused).to.include({ status: 503 })
  })

  it('retries when the server says so, and reports other failures', async () => {
    const answers: (readonly [status: number, headers: Record<string, string>, body: string])[] = []
    const paths: string[] = []
    const server = createServer((request, response) => {
      paths.push(`${request.method ?? ''} ${request.url ?? ''} ${String(request.headers['x-api-key'])}`)
      const [status, headers, body] = answers.shift() ?? [200, {}, '{"data":[],"has_more":false,"cursor":""}']
      response.writeHead(status, headers).end(body)
    })
    const { url, stop } = await listenLocally(server)
    try {
      const own = new client.Flowfarm(url, { key: 'k' })
      answers.push([429, { 'retry-after': '0' }, '{}'], [503, { 'retry-after': '0' }, 'busy'])
      expect(await own.get('/flow/block')).to.have.property('has_more', false)
      expect(paths.splice(0)).to.deep.equal(Array(3).fill('GET /flow/block k'))
      answers.push([429, { 'retry-after': '3600' }, '{}'])
      expect(await errorOf(own.get('/flow/block'))).to.include({ status: 429, code: 'http-429', retryAfter: 3600 })
      answers.push([200, {}, '<html>'])
      expect(await errorOf(own.get('/flow/block'))).to.include({ status: 0, code: 'invalid-response' })
      answers.push([503, { 'retry-after': '20' }, '{}'])
      const ending = new AbortController()
      const waiting = errorOf(own.get('/flow/block', {}, { signal: ending.signal }))
      ending.abort(new Error('left'))
      expect((await waiting).message).to.equal('left')
    } finally {
      await stop()
    }
    expect(await errorOf(new client.Flowfarm(url).get('/flow/block'))).to.include({ status: 0, code: 'no-response' })
  })

  it('has types for its users', async () => {
    await writeFile(
      join(folder, 'user.ts'),
      `import { Flowfarm } from './package/dist/client.js'
       import type { ItemOf } from './package/dist/client.js'
       import type { Block } from './package/dist/api.gen.js'
       const api = new Flowfarm('https://explorer.example')
       export const block: Promise<Block> = api.get('/flow/block').then(({ data }) => data[0]!)
       export async function amounts(): Promise<string[]> {
         const found: string[] = []
         for await (const item of api.list('/flow/ft/transfer', { limit: 5 })) found.push(item.amount)
         return found
       }
       export const height = (item: ItemOf<'/flow/block'>): number => item.height
       // @ts-expect-error: an unknown path
       void api.get('/flow/nothing')
       // @ts-expect-error: a missing parameter
       void api.get('/flow/block/{height}')
       // @ts-expect-error: no list
       api.list('/status')`,
    )
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: [] },
        files: ['user.ts'],
      }),
    )
    await compile('--project', folder)
  })
})
