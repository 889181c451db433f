import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'

export interface Asked {
  /** From the provider's first word on until it was here, ms. */
  readonly firstWordMs: number
  /** Characters of the answer. */
  readonly characters: number
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

/**
 * Asks one question, and reads the answer to its end. Its first word is the clock of the machine.
 * @param url of the chat's route, or of the provider itself
 * @throws Error for an answer that is none
 */
export async function ask(url: string, body: object): Promise<Asked> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const written = JSON.stringify(body)
  request(url, {
    agent,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(written) },
  })
    .once('response', resolve)
    .once('error', reject)
    .end(written)
  const response = await promise
  let firstWordMs: number | undefined
  let characters = 0
  const others: string[] = []
  for await (const line of createInterface({ input: response })) {
    const word = wordIn(line)
    if (word === undefined) others.push(line)
    else if (firstWordMs === undefined) firstWordMs = Number(process.hrtime.bigint() - BigInt(word)) / 1e6
    characters += word?.length ?? 0
  }
  if (
    response.statusCode !== 200 ||
    firstWordMs === undefined ||
    others.some((line) => line.includes('"type":"error"'))
  ) {
    throw new Error(`this is no answer (${response.statusCode}): ${others.slice(-4).join('\n').slice(0, 1000)}`)
  }
  return { firstWordMs, characters }
}

/** Of the chat's stream, or of chat completions. */
function wordIn(line: string): string | undefined {
  if (!line.startsWith('data: {')) return undefined
  const event = JSON.parse(line.slice(6)) as {
    type?: string
    delta?: string
    choices?: { delta?: { content?: string } }[]
  }
  const word = event.type === 'text-delta' ? event.delta : event.choices?.[0]?.delta?.content
  return word === '' ? undefined : word
}
