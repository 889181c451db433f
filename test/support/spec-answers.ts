import { readApiSamples, sampleCall } from './api-samples.ts'
import { specRows } from './spec-rows.ts'
import { enrichedChain } from './enriched-chain.ts'

/** The API's response to a specification endpoint. */
export interface SpecAnswer {
  readonly call: string
  readonly status: number
  /** Parsed JSON, or the text. */
  readonly body: unknown
}

/** Calls every specification endpoint once on a derived chain. By path. */
export async function answerSpecRows(): Promise<ReadonlyMap<string, SpecAnswer>> {
  await using reported = await enrichedChain()
  const { database, api } = reported
  const samples = await readApiSamples(database.pool)
  const answers = new Map<string, SpecAnswer>()
  for (const { path } of specRows) {
    const call = sampleCall(path, samples)
    const response = await api.get(call)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    answers.set(path, { call, status: response.status, body: isJson ? JSON.parse(text) : text })
  }
  return answers
}

/** The recorded responses of every specification endpoint: a difference is an API change. */
export const recordedAnswers = 'test/explorer/spec-answers.txt'

/**
 * Responses are truncated after 60 lines, lists after the first entry, long texts after 100
 * characters.
 */
export function answersText(answers: ReadonlyMap<string, SpecAnswer>): string {
  return [...answers]
    .map(([path, { call, body }]) => {
      const text = typeof body === 'string' ? body : JSON.stringify(shorten(body), null, 1)
      const lines = text.trimEnd().split('\n')
      return [`${path}: GET ${call}`, ...lines.slice(0, 60), ...(lines.length > 60 ? ['…'] : []), ''].join('\n')
    })
    .join('\n')
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string')
    return isOfThisRun(value) ? 'the time of the run' : value.length > 100 ? `${value.slice(0, 100)}…` : value
  if (Array.isArray(value)) return value.slice(0, 1).map(shorten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shorten(part)]))
}

/** Whether a text is a time of the last days. The recorded chain is older. */
function isOfThisRun(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(text) && Math.abs(Date.now() - Date.parse(text)) < 4 * 24 * 3600 * 1000
}
