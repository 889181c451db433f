import { readApiSamples, sampleCall } from './api-samples.ts'
import { specRows } from './spec-rows.ts'
import { toldChain } from './told-chain.ts'

/** What the API says to a call of an endpoint of the specification. */
export interface SpecAnswer {
  readonly call: string
  readonly status: number
  /** JSON, parsed, or the text. */
  readonly body: unknown
}

/** Calls every endpoint of the specification once, on a chain that was derived. By path. */
export async function answerSpecRows(): Promise<ReadonlyMap<string, SpecAnswer>> {
  await using told = await toldChain()
  const { database, api } = told
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
