import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DeveloperKeys } from '../src/auth/developer-keys.ts'
import { pageAddress } from '../src/api/server.ts'
import { readConfig } from '../src/base/config.ts'
import type { Config } from '../src/base/config.ts'
import { asError, exitCodeOf, exitCodes } from '../src/base/errors.ts'
import { runProgram } from '../src/program.ts'
import { startReplayNode } from '../src/simnode/replay/replay-node.ts'
import type { ReplayNode } from '../src/simnode/replay/replay-node.ts'
import { loadRecording } from '../src/simnode/replay/recording.ts'
import { services } from '../src/services.ts'
import type { ServiceName } from '../src/services.ts'
import { withPictures } from './demo-pictures.ts'

/**
 * `npm run demo`: everything on one machine, without the internet. An access node that replays a recorded chain and
 * then goes on for ever at mainnet's pace, a PostgreSQL of its own that is thrown away at the end, and all services.
 *
 * The variables of flowfarm hold here too (`PORT`, `HOST`, `LOG_LEVEL`, …), but for those that would lead to another
 * database or another node. Without LOG_LEVEL and LOG_FORMAT only warnings are logged, for people to read.
 */

const recording = resolve(import.meta.dirname, '../test/recordings/base')
const lastRecordedHeight = 280
/** Mainnet makes a block in this time. */
const blockMs = 800
/** The recorded blocks are spread over so many days, so that there is something to see day by day. */
const recordedDays = 21
/** An account of the recorded chain that often moves tokens. */
const watched = '0xf8d6e0586b0a20c7'
/** Signs the webhooks that the greeting has sent; as in docs/webhooks.md. */
const secret = `whsec_${Buffer.from('the secret of the demo, 32 bytes').toString('base64')}`
const folderPrefix = 'flowfarm-demo-'

/** Removes what a demo left behind that was killed. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(folderPrefix) ? Number(name.slice(folderPrefix.length).split('-')[0]) : Number.NaN
    if (!Number.isInteger(pid) || isAlive(pid)) continue
    try {
      removeFolder(join(tmpdir(), name))
    } catch (error) {
      // It belongs to another user.
      if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function configure(node: ReplayNode, folder: string): Config {
  return readConfig({
    CHAIN_ACCESS_NODE: node.endpoint, CHAIN_ACCESS_NODES: '', CHAIN_HISTORIC_ACCESS_NODES: '', CHAIN_ARCHIVE_NODE: '',
    DB_URL: '', DATA_FOLDER: folder, START_BLOCK: '', HISTORY_STOP_HEIGHT: '',
  }, undefined, {
    LOG_LEVEL: 'warn', LOG_FORMAT: 'pretty',
    // So that whoever breaks a worker on purpose sees its range flagged in half a minute instead of in an hour.
    WORKER_RETRY_BASE_MS: '250', WORKER_RETRY_CAP_MS: '2000',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // What tokens and items say of themselves was recorded; what goes on after the end of the recording cannot be asked.
    ENABLE_NFT_OWNERSHIP_RECONCILER: 'false', ENABLE_NETWORK_STATE_WORKER: 'false',
  })
}

function greeting(config: Config, port: number, folder: string, key: string): string {
  const page = pageAddress(config.HOST, port)
  return [
    '',
    `  flowfarm is running on a recorded chain: ${lastRecordedHeight + 1} real blocks, then new ones for ever.`,
    `  The recorded ones are given times over the last ${recordedDays} days, so that charts have days to show.`,
    '',
    `    Open this     ${page}/`,
    `    All routes    ${page}/docs`,
    `    Blocks        ${page}/flow/block`,
    `    Transactions  ${page}/flow/transaction`,
    `    Status        ${page}/status`,
    `    Live feed     ${page.replace('http', 'ws')}/ws`,
    `    The farm      ${page}/operator`,
    '',
    '  Break a worker and watch it: Fault drill on the page of the farm. Or in another terminal:',
    '',
    `    DATA_FOLDER=${folder} npm run status`,
    '',
    '  Have signed webhooks sent to your terminal: receive them there, and subscribe here or in a third (docs/webhooks.md).',
    '',
    `    npm run webhook-receiver -- --port 9000 --secret ${secret}`,
    '',
    `    curl ${page}/webhooks/subscriptions -H 'X-API-Key: ${key}' \\`,
    `      -H 'Content-Type: application/json' -d '${JSON.stringify({ url: 'http://127.0.0.1:9000/', secret, event_types: ['ft.transfer'], conditions: { addresses: [watched] } })}'`,
    '',
    '  Ctrl+C stops it and throws its database away.',
    '',
    '',
  ].join('\n')
}

async function demo(): Promise<number> {
  sweep()
  const folder = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  // Also where a second Ctrl+C cuts the rest short.
  process.on('exit', () => removeFolder(folder))
  const node = await startReplayNode({
    recording: withPictures(await loadRecording(recording)), loop: true, intervalMs: blockMs,
    clock: {
      height: lastRecordedHeight,
      time: new Date(),
      spacingMs: blockMs,
      pastSpacingMs: (recordedDays * 86_400_000) / lastRecordedHeight,
    },
  })
  const config = configure(node, folder)
  // Whoever asks for JSON wants nothing between its lines.
  const say = (text: string): boolean => (config.LOG_FORMAT === 'json' ? process.stderr : process.stdout).write(text)
  say('Starting a PostgreSQL, a node that replays a recorded chain, and all services…\n')
  const exitCode = await runProgram({
    config,
    services: Object.keys(services) as ServiceName[],
    prepare: async (lifecycle) => {
      lifecycle.onStop('replay node', () => node.stop())
    },
    onReady: async ({ shared, terminal, pool }) => {
      const { text: key } = await new DeveloperKeys(pool).create({ name: 'demo', tier: 'unlimited' })
      const text = greeting(config, shared.apiPort ?? config.PORT, folder, key)
      if (config.LOG_FORMAT === 'json') say(text)
      else terminal.stream.write(text)
    },
  })
  if (exitCode === exitCodes.done) say('\n  The demo has stopped. Bye!\n')
  return exitCode
}

let exitCode: number
try {
  exitCode = await demo()
} catch (error) {
  process.stderr.write(`${asError(error).message}\n`)
  exitCode = exitCodeOf(error)
}
process.exit(exitCode)
