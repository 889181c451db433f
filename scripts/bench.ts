import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { asError, exitCodes } from '../src/platform/errors.ts'
import { BenchSheet, benchSizes, print } from './bench/bench-run.ts'
import { readSettings } from './bench/conditions.ts'
import { currentLoad, othersShare, readSetting } from './bench/machine.ts'
import { benchDecode } from './bench/parts/decode.ts'
import { benchFarm } from './bench/parts/farm.ts'
import { benchFeed } from './bench/parts/feed.ts'
import { benchFetch } from './bench/parts/fetch.ts'
import { benchIngest } from './bench/parts/ingest.ts'
import { benchProgram } from './bench/parts/program.ts'
import { benchRecovery } from './bench/parts/recovery.ts'
import { benchWallet } from './bench/parts/wallet.ts'
import { benchWebhooks } from './bench/parts/webhooks.ts'
import { historyLine } from './bench/report/history.ts'
import type { Conditions } from './bench/report/history.ts'
import { historyPath, pagePath } from './bench/report/performance-page.ts'
import { performancePages } from './bench/report/performance-pages.ts'
import { disturbance } from './bench/report/quiet.ts'
import { runCommand } from './cli/command.ts'
import { flag, someOf } from './cli/options.ts'
import { duration } from './cli/texts.ts'

/** `npm run bench`: all benchmarks in one go, on the simulated chain, into one page. */

const root = resolve(import.meta.dirname, '..')

const parts = {
  decode: { title: 'Decoding', run: benchDecode },
  fetch: { title: 'Fetching', run: benchFetch },
  ingest: { title: 'Ingest', run: benchIngest },
  program: { title: 'Deriving, size, growth and the API', run: benchProgram },
  farm: { title: 'The farm', run: benchFarm },
  feed: { title: 'The live feed', run: benchFeed },
  webhooks: { title: 'Webhooks', run: benchWebhooks },
  wallet: { title: 'Sign-ins by passkey', run: benchWallet },
  recovery: { title: 'Recovery from kill -9', run: benchRecovery },
} as const

type PartName = keyof typeof parts
const partNames = Object.keys(parts) as PartName[]

/** Long enough to see what others do, short enough to be no part of the run. */
const lookMs = 500
/** What a part left behind (files that are deleted, memory that is given back) is to be over before the next look. */
const settleMs = 1500

await runCommand({
  name: 'bench',
  summary: `Measures everything on the simulated chain, each figure beside its physical limit, and writes ${pagePath}.`,
  options: {
    quick: flag('Less of everything, some two minutes; nothing is written down.'),
    only: someOf(
      '<parts>',
      partNames,
      `Some parts, with commas between: ${partNames.join(', ')}; nothing is written down.`,
    ),
    'no-record': flag(`Write no line into ${historyPath}, and leave the page as it is.`),
  },
  notes: [
    'Databases, nodes and clients are started for the run and go away with it; nothing else is touched. Figures of a machine that does other work are worth little: ' +
      'the run says so where it sees some, and the page as well.',
  ],
  examples: [
    ['', 'Everything, about ten minutes.'],
    ['--quick', 'A look.'],
    ['--only ingest,recovery', 'Two parts.'],
  ],
  usesDatabase: false,
  exitCodes: { 1: 'a part failed: nothing is written down' },
  run: async ({ options }) => {
    const mode = options.quick ? 'quick' : 'full'
    const names = options.only.length === 0 ? partNames : partNames.filter((name) => options.only.includes(name))
    const startedAt = performance.now()
    const setting = readSetting()
    const others = [await othersShare(2 * lookMs)]
    warn({ ...setting, others })
    const sheet = new BenchSheet(benchSizes[mode])
    const { versions, settings } = await readSettings(sheet.size)
    print(
      `flowfarm ${setting.commit} on ${setting.cores} cores of ${setting.processor}, Node ${process.versions.node}, PostgreSQL ${versions['PostgreSQL']}, load ${setting.loadBefore.toFixed(2)}`,
    )
    const failed = await runParts(names, sheet, others)
    const conditions: Conditions = {
      ...setting,
      seconds: (performance.now() - startedAt) / 1000,
      loadAfter: currentLoad(),
      others,
      versions,
      settings,
    }
    print(`\n${duration(conditions.seconds)}, load ${conditions.loadAfter.toFixed(2)} after.`)
    warn(conditions)
    if (failed.length > 0) {
      print(`Failed: ${failed.join(', ')}. Nothing is written down.`)
      return exitCodes.needsPerson
    }
    if (options.only.length > 0) return exitCodes.done
    const line = historyLine({
      conditions,
      mode,
      figures: sheet.figures,
      growth: { blocks: sheet.blocks, requests: sheet.requests },
    })
    if (mode === 'full' && !options['no-record']) record(line)
    return exitCodes.done
  },
})

/** One part after the other, with a look between two at what others do. @returns the names of those that failed */
async function runParts(names: readonly PartName[], sheet: BenchSheet, others: number[]): Promise<PartName[]> {
  const failed: PartName[] = []
  for (const name of names) {
    const { title, run } = parts[name]
    const startedAt = performance.now()
    print(`\n${title}`)
    try {
      await run(sheet)
    } catch (error) {
      // The minutes of the other parts are not to be lost.
      failed.push(name)
      process.stderr.write(`${asError(error).stack}\n`)
    }
    sheet.say(`(${duration((performance.now() - startedAt) / 1000)})`)
    await othersShare(settleMs)
    others.push(await othersShare(lookMs))
  }
  return failed
}

function warn(conditions: Pick<Conditions, 'cores' | 'loadBefore' | 'others'>): void {
  const trouble = disturbance(conditions)
  if (trouble !== undefined)
    print(
      `WARNING: this machine is not quiet: ${trouble}. Rates will be too low; processor times and ratios suffer less.`,
    )
}

/** Adds a run to the history, and makes the page anew. */
function record(line: string): void {
  appendFileSync(resolve(root, historyPath), line)
  const pages = performancePages(readFileSync(resolve(root, historyPath), 'utf8'))
  for (const [path, text] of pages) writeFileSync(resolve(root, path), text)
  print(`Written down: ${[historyPath, ...pages.keys()].join(', ')}.`)
}
