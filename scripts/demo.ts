import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readConfig } from '../src/base/config.ts'
import { asError, exitCodeOf } from '../src/base/errors.ts'
import { runProgram } from '../src/program.ts'
import { startReplayNode } from '../src/simnode/replay/replay-node.ts'
import { services } from '../src/services.ts'
import type { ServiceName } from '../src/services.ts'

/**
 * `npm run demo`: everything on one machine, without the internet. An access node that replays a recorded chain and
 * then goes on for ever at mainnet's pace, a PostgreSQL of its own that is thrown away at the end, and all services.
 */

const recording = resolve(import.meta.dirname, '../test/recordings/base')
/** Mainnet makes a block in this time. */
const blockMs = 800
const folderPrefix = 'flowfarm-demo-'

/** Removes what a demo left behind that was killed. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(folderPrefix) ? Number(name.slice(folderPrefix.length).split('-')[0]) : Number.NaN
    if (Number.isInteger(pid) && !isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function demo(): Promise<number> {
  sweep()
  const folder = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const lastRecorded = 280
  const node = await startReplayNode({
    recording, loop: true, intervalMs: blockMs, clock: { height: lastRecorded, time: new Date(), spacingMs: blockMs },
  })
  const config = readConfig({
    CHAIN_ACCESS_NODE: node.endpoint, CHAIN_ACCESS_NODES: '', CHAIN_HISTORIC_ACCESS_NODES: '', CHAIN_ARCHIVE_NODE: '',
    DB_URL: '', DATA_FOLDER: folder, START_BLOCK: '', HISTORY_STOP_HEIGHT: '',
  })
  return runProgram({
    config,
    services: Object.keys(services) as ServiceName[],
    prepare: async (lifecycle) => {
      lifecycle.onStop('replay node', () => node.stop())
    },
    onReady: (shared) => {
      const at = `localhost:${shared.apiPort}`
      process.stdout.write([
        '',
        '  flowfarm is running on a recorded chain: 281 real blocks, then new ones for ever.',
        '',
        `    Blocks        http://${at}/flow/block`,
        `    Transactions  http://${at}/flow/transaction`,
        `    Status        http://${at}/status`,
        `    All routes    http://${at}/docs`,
        `    Live feed     ws://${at}/ws`,
        '',
        '  Ctrl+C stops it and leaves nothing behind.',
        '',
        '',
      ].join('\n'))
    },
  })
}

let exitCode: number
try {
  exitCode = await demo()
} catch (error) {
  process.stderr.write(`${asError(error).message}\n`)
  exitCode = exitCodeOf(error)
}
process.exit(exitCode)
