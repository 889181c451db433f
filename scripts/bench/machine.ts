import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Conditions } from './report/history.ts'
import { chartPath, historyPath, pagePath } from './report/performance-page.ts'

const root = resolve(import.meta.dirname, '../..')

/** The machine and the sources of a run, at its start. */
export type Setting = Pick<Conditions, 'at' | 'commit' | 'processor' | 'cores' | 'memoryGiB' | 'system' | 'loadBefore'>

export function readSetting(): Setting {
  return {
    at: new Date().toISOString(),
    commit: commitOfSources(),
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: totalmem() / 2 ** 30,
    system: `${type()} ${release()}`,
    loadBefore: currentLoad(),
  }
}

/** The average of the last minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0
}

/** The part of all cores that is in use while this process waits: nothing of ours may run. */
export async function othersShare(ms: number): Promise<number> {
  const before = processorTicks()
  await delay(ms)
  const after = processorTicks()
  const all = after.all - before.all
  return all === 0 ? 0 : (after.busy - before.busy) / all
}

/** Of all cores since the system began. What the host took for other machines counts as busy. */
function processorTicks(): { busy: number; all: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  // user nice system idle iowait irq softirq steal; guests are in user.
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const all = ticks.reduce((sum, value) => sum + value, 0)
  return { busy: all - (ticks[3] ?? 0) - (ticks[4] ?? 0), all }
}

/** The commit, with a `+` where sources were changed since; what the bench writes itself is none. */
function commitOfSources(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', `safe.directory=${root}`, ...args], { cwd: root, encoding: 'utf8' }).trim()
  try {
    const own = [historyPath, pagePath, chartPath].map((path) => `:!${path}`)
    return (
      git('rev-parse', '--short', 'HEAD') +
      (git('status', '--porcelain', '--untracked-files=no', '--', '.', ...own) === '' ? '' : '+')
    )
  } catch {
    return 'unknown' // an unpacked archive, or no git
  }
}
