import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { addCounts, endOfFile, isLaneResult, noTests } from './messages.ts'
import type { LaneOrder, TestCounts } from './messages.ts'
import { runTestProcess } from './test-process.ts'

const namedFiles = 10

interface Run {
  readonly waiting: string[]
  counts: TestCounts
  readonly failures: string[]
  readonly durations: FileDuration[]
  isStopped: boolean
}

/**
 * @param files slowest first, so that lanes end at about the same time @param onDurations after a
 * complete run
 */
export async function runInLanes(
  files: readonly string[],
  lanes: number,
  onDurations?: (durations: readonly FileDuration[]) => void,
): Promise<TestCounts> {
  const run: Run = { waiting: [...files], counts: noTests, failures: [], durations: [], isStopped: false }
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (run.waiting.length > 0 && !run.isStopped) await runLane(run)
    }),
  )
  if (run.failures.length > 0) console.log(`\nFailed:\n${run.failures.map((line) => `  ${line}`).join('\n')}`)
  const slowest = run.durations.toSorted((one, other) => other.ms - one.ms).slice(0, namedFiles)
  console.log(
    `\nSlowest:\n${slowest.map(({ file, ms }) => `  ${(ms / 1000).toFixed(1).padStart(5)} s ${file}`).join('\n')}\n`,
  )
  if (!run.isStopped) onDurations?.(run.durations)
  return run.counts
}

/** On an unexpected end, the current file counts as failed. */
async function runLane(run: Run): Promise<void> {
  const color = process.stdout.isTTY ? ['--color'] : []
  let file: string | undefined
  let hasEnded = false
  const end = await runTestProcess((env) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'lane.ts'), ...color], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      detached: true,
      env,
    })
    if (child.stdout !== null) printByFile(child.stdout)
    const runNext = (): void => {
      file = run.waiting.shift()
      child.send({ file } satisfies LaneOrder)
    }
    child.on('message', (message) => {
      if (!isLaneResult(message)) return
      add(run, file, message.counts, message.failures)
      if (file === undefined) {
        hasEnded = true
        return
      }
      run.durations.push({ file: relative(process.cwd(), file), ms: message.ms })
      runNext()
    })
    runNext()
    return child
  })
  if (end.isStopped) run.isStopped = true
  if (end.code === 0 && hasEnded) return
  const why = hasEnded
    ? 'open handles'
    : end.isStopped
      ? 'stopped'
      : `the process ended${end.signal === null ? '' : ` by ${end.signal}`}`
  const counts = {
    ...noTests,
    failed: 1,
    failedFiles: file === undefined ? [] : [file],
    isOpen: hasEnded,
    isStopped: end.isStopped,
  }
  add(run, file, counts, [why])
}

function add(run: Run, file: string | undefined, counts: TestCounts, failures: readonly string[]): void {
  run.counts = addCounts(run.counts, counts)
  const place = file === undefined ? 'at the end of a lane' : relative(process.cwd(), file)
  run.failures.push(...failures.map((title) => `${place}: ${title}`))
}

/** Buffers output per file, so that lanes do not mix. */
function printByFile(output: NodeJS.ReadableStream): void {
  let kept = ''
  output.setEncoding('utf8')
  output.on('data', (text: string) => {
    const parts = (kept + text).split(endOfFile)
    kept = parts.pop() ?? ''
    for (const part of parts) process.stdout.write(part)
  })
  output.on('end', () => process.stdout.write(kept))
}

interface FileDuration {
  readonly file: string
  readonly ms: number
}

const minSeconds = 8
const table = join(import.meta.dirname, 'durations.json')

export function slowestFirst(files: readonly string[]): string[] {
  const seconds = JSON.parse(readFileSync(table, 'utf8')) as Readonly<Record<string, number>>
  const of = (file: string): number => seconds[relative(process.cwd(), file)] ?? 0
  return files.toSorted((one, other) => of(other) - of(one))
}

export function saveDurations(durations: readonly FileDuration[]): void {
  const slow = durations.filter(({ ms }) => ms >= minSeconds * 1000).toSorted((one, other) => other.ms - one.ms)
  const lines = Object.fromEntries(slow.map(({ file, ms }) => [file, Math.round(ms / 1000)]))
  writeFileSync(table, `${JSON.stringify(lines, null, 2)}\n`)
}
