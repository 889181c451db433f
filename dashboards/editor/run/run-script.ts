import type { CadenceValue } from './argument-value.ts'

/** What came of a script. */
export type RunResult =
  | { readonly is: 'done'; readonly value: CadenceValue; readonly blockHeight: string | undefined; readonly ms: number }
  /** `code`: the status of HTTP; 0 where nothing answered. */
  | {
      readonly is: 'failed'
      readonly code: number
      readonly message: string
      readonly blockHeight: string | undefined
      readonly ms: number
    }

export interface RunOptions {
  readonly apiUrl: string
  readonly code: string
  readonly values: readonly CadenceValue[]
  readonly signal: AbortSignal
}

/** Runs a script on an access node, from the browser, at the newest block that is sealed. @throws where it was taken back by the signal */
export async function runScript({ apiUrl, code, values, signal }: RunOptions): Promise<RunResult> {
  const began = performance.now()
  const base = apiUrl.replace(/\/$/, '')
  let blockHeight: string | undefined
  const failed = (status: number, message: string): RunResult => ({
    is: 'failed',
    code: status,
    message,
    blockHeight,
    ms: performance.now() - began,
  })
  try {
    // The height is asked for first, so that what is shown is what the script saw.
    blockHeight = await sealedHeight(base, signal)
    const response = await fetch(`${base}/v1/scripts?block_height=${blockHeight ?? 'sealed'}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      signal,
      body: JSON.stringify({
        script: toBase64(code),
        arguments: values.map((value) => toBase64(JSON.stringify(value))),
      }),
    })
    const answer: unknown = await response.json()
    if (!response.ok)
      return failed(response.status, messageOf(answer) ?? `The node answered with status ${response.status}.`)
    const encoded = typeof answer === 'string' ? answer : (answer as { readonly value?: unknown } | null)?.value
    if (typeof encoded !== 'string') return failed(response.status, 'The node gave no value.')
    return {
      is: 'done',
      value: JSON.parse(fromBase64(encoded)) as CadenceValue,
      blockHeight,
      ms: performance.now() - began,
    }
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof SyntaxError || error instanceof RangeError)
      return failed(0, 'The node gave an answer that cannot be read.')
    if (error instanceof TypeError)
      return failed(0, `The access node at ${base} does not answer. Is the network there, and may pages ask this node?`)
    throw error
  }
}

async function sealedHeight(base: string, signal: AbortSignal): Promise<string | undefined> {
  const response = await fetch(`${base}/v1/blocks?height=sealed`, { signal })
  if (!response.ok) return undefined
  const blocks: unknown = await response.json()
  const height: unknown = Array.isArray(blocks)
    ? (blocks[0] as { readonly header?: { readonly height?: unknown } } | undefined)?.header?.height
    : undefined
  return typeof height === 'string' && /^\d+$/.test(height) ? height : undefined
}

function messageOf(answer: unknown): string | undefined {
  const message =
    typeof answer === 'object' && answer !== null ? (answer as { readonly message?: unknown }).message : undefined
  return typeof message === 'string' ? message : undefined
}

function toBase64(text: string): string {
  let bytes = ''
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}

/** @throws RangeError for what is no base64 */
function fromBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)))
  } catch (error) {
    throw new RangeError('This is no base64.', { cause: error })
  }
}
