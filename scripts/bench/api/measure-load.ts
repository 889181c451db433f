import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { cpuSeconds } from '../process-usage.ts'
import type { LoadResult } from './load.ts'

export interface LoadOptions {
  readonly seconds: number
  readonly connections: number
}

export interface MeasuredLoad extends LoadResult {
  readonly requestsPerSecond: number
  /** Processor time of the API for a request. */
  readonly nodeMs: number
}

/** Asks for the paths in turn, over and over. @throws if an answer is not 200 */
export async function measureLoad(
  { port, pid }: { readonly port: number; readonly pid: number },
  paths: readonly string[],
  { seconds, connections }: LoadOptions,
): Promise<MeasuredLoad> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'load.ts'), String(port), String(connections), String(seconds)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const before = cpuSeconds(pid)
  child.stdin.end(paths.join('\n'))
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const spent = cpuSeconds(pid) - before
  const result = JSON.parse(output) as LoadResult
  if (result.failures > 0) throw new Error(`${result.failures} answers were no 200, of ${paths[0] ?? ''} and others`)
  return { ...result, requestsPerSecond: result.requests / result.seconds, nodeMs: (spent * 1000) / result.requests }
}
