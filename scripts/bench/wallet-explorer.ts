import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { fill } from './api.ts'
import { forkReady, openBenchDatabase, startFlowfarm } from './bench-programs.ts'
import { walletOrigin } from './prepared-passkeys.ts'
import { median, print, quantile } from './sheet.ts'
import type { Sheet } from './sheet.ts'

export interface LoadedExplorerOptions {
  readonly phases: number
  readonly seconds: number
}

const blocks = 300
const signInsAtOnce = 100
/** Until the user has found and touched the authenticator. */
const promptMs = 2000
const editors = 50
const requestsPerSecond = 100
const noNode = '127.0.0.1:1'

/**
 * Latency of the explorer, alternately quiet and while 100 users are signing in and 50 editors type.
 * One process each, as in the Procfile.
 */
export async function measureLoadedExplorer(sheet: Sheet, { phases, seconds }: LoadedExplorerOptions): Promise<void> {
  const database = await openBenchDatabase()
  await fill(database, blocks, { node: undefined, from: undefined })
  const { rows } = await database.pool.query<{ id: string }>(
    `select encode(id, 'hex') as id from raw.transactions where payer_address is not null order by random() limit 1000`,
  )
  const paths = rows.map(({ id }) => `/flow/transaction/${id}`)
  const shared = { DB_URL: database.url, CHAIN_ACCESS_NODE: noNode }
  const api = await startFlowfarm(
    ['api'],
    { ...shared, API_RATE_LIMIT_RPS: '0', API_ANSWER_CACHE_MS: '0' },
    { ready: 'API listening' },
  )
  const wallet = await startFlowfarm(
    ['wallet'],
    { ...shared, WALLET_PORT: '0', WALLET_URL: walletOrigin, MAIL_FOLDER: join(database.folder, 'mail') },
    { ready: 'Wallet listening' },
  )
  const lspPort = await freePort()
  const editor = await startFlowfarm(
    ['editor'],
    { ...shared, HTTP_PORT: '0', LSP_PORT: String(lspPort) },
    { ready: 'Editor listening' },
  )
  const sockets = await Promise.all(Array.from({ length: editors }, (_, at) => openEditor(lspPort, at)))
  const times = { quiet: [] as number[], loaded: [] as number[] }
  let signIns = 0
  try {
    await measure(api.port, paths, 2)
    for (let phase = 0; phase < phases; phase++) {
      times.quiet.push(...(await measure(api.port, paths, seconds)))
      const { child } = await forkReady('wallet-clients.ts', [
        database.url,
        wallet.port,
        signInsAtOnce * 2,
        signInsAtOnce,
        Math.round((signInsAtOnce * seconds * 1000) / promptMs),
        promptMs,
        phase,
      ])
      const typing = sockets.map((socket, at) => setInterval(() => type(socket, at), 1000))
      child.send('go')
      const signedIn = once(child, 'message') as Promise<[{ latenciesMs: readonly number[] }]>
      times.loaded.push(...(await measure(api.port, paths, seconds)))
      const [{ latenciesMs }] = await signedIn
      signIns += latenciesMs.length
      for (const timer of typing) clearInterval(timer)
      child.disconnect()
      await delay(500)
    }
  } finally {
    for (const socket of sockets) socket.terminate()
    await Promise.all([api.end(), wallet.end(), editor.end()])
    await database.close()
  }
  sheet.heading(
    `The explorer at ${requestsPerSecond} requests/s, ${phases} × ${seconds} s each: quiet, and with ` +
      `${signInsAtOnce} users at the passkey prompt for ${promptMs / 1000} s each, and ${editors} editors`,
  )
  for (const [name, all] of Object.entries(times)) {
    sheet.figure(`${name}, median`, median(all), 'ms')
    sheet.figure(`${name}, p99`, quantile(all, 0.99), 'ms')
  }
  sheet.figure('p99, loaded to quiet', quantile(times.loaded, 0.99) / quantile(times.quiet, 0.99), '×', { atMost: 1.2 })
  print(`    ${signIns} sign-ins`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** In ms. Requests start at fixed times, however long earlier ones take. */
async function measure(port: number, paths: readonly string[], seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const times: number[] = []
  const all: Promise<void>[] = []
  const begin = performance.now()
  for (let at = 0; at < seconds * requestsPerSecond; at++) {
    const due = begin + (at * 1000) / requestsPerSecond
    await delay(Math.max(0, due - performance.now()))
    const startedAt = performance.now()
    all.push(
      request(agent, port, paths[Math.floor(Math.random() * paths.length)] ?? '/').then(() => {
        times.push(performance.now() - startedAt)
      }),
    )
  }
  await Promise.all(all)
  agent.destroy()
  return times
}

function request(agent: Agent, port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      response
        .resume()
        .on('error', reject)
        .on('end', () => {
          if (response.statusCode === 200) resolve()
          else reject(new Error(`${path}: ${response.statusCode}`))
        })
    }).on('error', reject)
  })
}

const code = (version: number): string => `access(all) contract Tide {
    access(all) let level: Int
    init() { self.level = ${version} }
}
`
const uri = 'file:///tide.cdc'

async function openEditor(port: number, at: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/lsp`, { headers: { 'x-forwarded-for': `10.1.0.${at}` } })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'init', network: 'mainnet' }))
  for (;;) {
    const [data] = (await once(socket, 'message')) as [Buffer]
    const { type: kind } = JSON.parse(data.toString()) as { readonly type?: string }
    if (kind === 'ready') break
    if (kind === 'error') throw new Error(data.toString())
  }
  notify(socket, 'textDocument/didOpen', { textDocument: { uri, languageId: 'cadence', version: 1, text: code(1) } })
  return socket
}

let version = 1

function type(socket: WebSocket, at: number): void {
  version++
  notify(socket, 'textDocument/didChange', {
    textDocument: { uri, version },
    contentChanges: [{ text: code(version + at) }],
  })
}

function notify(socket: WebSocket, method: string, params: object): void {
  socket.send(JSON.stringify({ jsonrpc: '2.0', method, params }))
}
