import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { folderHolder } from '../../src/platform/db/embedded/folder-lock.ts'
import { exitCodes } from '../../src/platform/errors.ts'
import { runCommand } from '../../scripts/cli/command.ts'
import { someOf, text, wholeNumber } from '../../scripts/cli/options.ts'
import { print } from '../../scripts/cli/texts.ts'
import { runChaos } from './chaos-run.ts'
import { Findings } from './report/findings.ts'
import { reportText } from './report/report-text.ts'

const prefix = 'flowfarm-chaos-data-'

/** Creates the data folder of a run. Removes folders and file systems left by killed runs. */
export async function makeRunFolder(): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (!Number.isNaN(pid) && !isAlive(pid)) await removeAbandoned(join(tmpdir(), name))
  }
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  // The server may run as another user, which needs access.
  await chmod(folder, 0o711)
  return folder
}

async function removeAbandoned(folder: string): Promise<void> {
  try {
    // Its server may be shutting down; the next run removes the folder.
    if ((await folderHolder(folder)) !== undefined) return
    await promisify(execFile)('umount', ['-l', folder]).catch(() => undefined)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    // Removed by another run, or owned by another user.
    if (!['ENOENT', 'EACCES', 'EPERM', 'ENOTEMPTY', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error
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

/**
 * `npm run test:chaos [-- options]`: runs all processes of the Procfile on a simulated chain. A
 * seeded plan kills, stops and corrupts processes, database, queue and nodes. Exits with 0 if no
 * guarantee was broken.
 */

const [defaultMinutes, defaultIntervalMs, defaultHistory] = [60, 400, 300]

await runCommand({
  name: 'test:chaos',
  usesDatabase: false,
  summary: 'Runs all services on a simulated chain, injects faults, and compares the results with the ledger.',
  options: {
    minutes: wholeNumber(
      '<number>',
      `Duration of fault injection, without start and comparison. Default ${defaultMinutes}.`,
      { min: 1 },
    ),
    seed: wholeNumber('<number>', 'Seed of the plan and the chain. Default: random.'),
    interval: wholeNumber('<ms>', `Block interval. Default ${defaultIntervalMs}, half of mainnet's.`, {
      min: 50,
    }),
    history: wholeNumber('<blocks>', `Blocks at the start. Default ${defaultHistory}.`, { min: 10 }),
    queue: someOf(
      '<kind>',
      ['postgres', 'redis'],
      'Where the queue is: postgres (default) or redis, for which a redis-server is needed.',
    ),
    report: text(
      '<folder>',
      'Where report.txt, report.json and the logs of all processes are written. Default: a new folder for temporary files.',
    ),
  },
  notes: [
    'Requires no database and no network: it starts PostgreSQL, two nodes and the Procfile processes on free ports, and deletes them afterwards. ' +
      'As root on Linux, the database uses a small in-memory file system, so that the disk can be filled.',
    'A plan follows from its seed; when exactly things happen does not, so a rare fault may need several runs of one seed.',
  ],
  examples: [
    ['--minutes 3', 'A short run.'],
    ['--seed 7 --minutes 10', 'Repeat a failed run.'],
  ],
  exitCodes: { 0: 'no violations', 1: 'violations: see the report' },
  run: async ({ options }) => {
    const seed = options.seed ?? Math.floor(Math.random() * 1_000_000)
    const minutes = options.minutes ?? defaultMinutes
    const [intervalMs, history] = [options.interval ?? defaultIntervalMs, options.history ?? defaultHistory]
    const [queue = 'postgres'] = options.queue
    const reportFolder = options.report ?? (await mkdtemp(join(tmpdir(), `flowfarm-chaos-report-${seed}-`)))
    await mkdir(reportFolder, { recursive: true })
    const startedAt = performance.now()
    const tell = (line: string): void =>
      print(`[${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s] ${line}`)
    tell(`seed ${seed}, ${minutes} minutes; report and logs go to ${reportFolder}`)
    const report = await runChaos({
      seed,
      minutes,
      intervalMs,
      history,
      queue,
      tell,
      run: `chaos-${process.pid}-${seed}`,
      folder: await makeRunFolder(),
      logFolder: join(reportFolder, 'logs'),
      findings: new Findings(tell),
      command: `npm run test:chaos -- --seed ${seed} --minutes ${minutes} --interval ${intervalMs} --history ${history} --queue ${queue}`,
    })
    await writeFile(join(reportFolder, 'report.json'), `${JSON.stringify(report, undefined, 2)}\n`)
    const words = reportText(report)
    await writeFile(join(reportFolder, 'report.txt'), words)
    print(`\n${words}`)
    return report.isGood ? exitCodes.success : exitCodes.operatorActionRequired
  },
})
