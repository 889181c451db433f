import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly name: string
}

/** Database servers need it to stop and remove shared memory. */
const serverGraceMs = 5000
const pollMs = 20

/**
 * Suspends parents before children, so that none escapes; then database servers get SIGQUIT
 * (immediate shutdown), others SIGKILL.
 */
export async function endProcesses(root: number): Promise<void> {
  const found = new Map<number, ProcessEntry>()
  for (let isNew = true; isNew;) {
    isNew = false
    for (const entry of processesBelow(root)) {
      if (entry.pid === process.pid || found.has(entry.pid)) continue
      found.set(entry.pid, entry)
      isNew = true
      if (!isServer(entry)) send(entry.pid, 'SIGSTOP')
    }
  }
  const all = [...found.values()]
  const servers = all.filter(isServer)
  const postmasters = servers.filter(({ parent }) => !servers.some(({ pid }) => pid === parent))
  for (const { pid } of postmasters) send(pid, 'SIGQUIT')
  for (const { pid } of all.filter((entry) => !isServer(entry))) send(pid, 'SIGKILL')
  const giveUpAt = performance.now() + serverGraceMs
  while (performance.now() < giveUpAt && servers.some(isRunning)) await delay(pollMs)
  for (const entry of servers.filter(isRunning)) send(entry.pid, 'SIGKILL')
}

/** Parents before children. */
export function processesBelow(root: number): ProcessEntry[] {
  const entries = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readEntry(Number(name)) ?? [])
  const found = entries.filter(({ pid }) => pid === root)
  for (const { pid } of found) found.push(...entries.filter(({ parent }) => parent === pid))
  return found
}

function isServer({ name }: ProcessEntry): boolean {
  return name === 'postgres'
}

/** Process ids are reused. */
function isRunning({ pid, name }: ProcessEntry): boolean {
  return readEntry(pid)?.name === name
}

function readEntry(pid: number): ProcessEntry | undefined {
  try {
    const [, name = '', state, parent] =
      /^\d+ \((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return state === 'Z' ? undefined : { pid, parent: Number(parent), name }
  } catch (error) {
    return ignoreEnded(error)
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    ignoreEnded(error)
  }
}

function ignoreEnded(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return undefined
  throw error
}
