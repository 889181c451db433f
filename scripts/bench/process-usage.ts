import { readdirSync, readFileSync } from 'node:fs'

/** `_SC_CLK_TCK` of Linux. */
const ticksPerSecond = 100

interface Stat {
  readonly parent: number
  readonly own: number
  readonly reaped: number
}

function readStat(pid: number): Stat | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // The name in brackets may contain spaces.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const seconds = (index: number): number => (fields[index] ?? 0) / ticksPerSecond
  return { parent: fields[1] ?? 0, own: seconds(11) + seconds(12), reaped: seconds(13) + seconds(14) }
}

export function cpuSeconds(pid: number): number {
  return readStat(pid)?.own ?? 0
}

/** Includes ended children. */
export function treeCpuSeconds(root: number): number {
  const stats = new Map<number, Stat>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = readStat(Number(name))
    if (stat !== undefined) stats.set(Number(name), stat)
  }
  let sum = 0
  const add = (pid: number): void => {
    const stat = stats.get(pid)
    if (stat === undefined) return
    sum += stat.own + stat.reaped
    for (const [child, { parent }] of stats) if (parent === pid) add(child)
  }
  add(root)
  return sum
}

export function peakMemoryMiB(pid: number): number {
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(match?.[1] ?? 0) / 1024
}

/** Exits with 0 if the parent has disconnected, instead of an EPIPE error. */
export function sendToParent(message: unknown): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) process.exit(0)
  })
}
