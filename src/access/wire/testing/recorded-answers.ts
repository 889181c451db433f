import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const files = ['base/calls', 'fork/calls-a', 'fork/calls-b', 'fork/calls-c']

interface Line {
  readonly method: string
  readonly request: string
  readonly response?: string
}

export interface RecordedCall {
  readonly request: Buffer
  readonly response: Buffer
}

/** Every recorded call of a method that was answered, over all recorded chains. */
export function recordedCalls(method: string): RecordedCall[] {
  lines ??= files.flatMap(readLines)
  return lines.flatMap((line) =>
    line.method === method && line.response !== undefined
      ? [{ request: Buffer.from(line.request, 'base64'), response: Buffer.from(line.response, 'base64') }]
      : [],
  )
}

let lines: Line[] | undefined

function readLines(file: string): Line[] {
  const url = new URL(`../../../../test/recordings/${file}.jsonl.gz`, import.meta.url)
  return gunzipSync(readFileSync(url))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}
