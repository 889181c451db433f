import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startChatProgram } from './chat/chat-program.ts'
import { openBenchDatabase } from './farm/bench-database.ts'
import { quantile } from './farm/quantile.ts'
import { startMcpProgram } from './mcp/mcp-program.ts'
import { cpuSeconds, peakMemoryMiB } from './process-usage.ts'
import { readOptions } from './read-options.ts'

/**
 * `node scripts/bench/chat.ts`: how much later than from the provider the first word of an answer comes through the chat, and the memory of one
 * process in which many chats go on at once, each with a statement of 500 rows and a long conversation before it. The program, the
 * MCP server whose tools it uses, and the provider, which speaks the real protocol on this machine, are processes of their own; whoever asks is this one.
 */

const { values } = readOptions(import.meta.filename, {
  options: { questions: { type: 'string', default: '200' }, chats: { type: 'string', default: '200' } },
})
const chats = Number(values.chats)
const database = await openBenchDatabase()
const folder = await mkdtemp(join(tmpdir(), 'flowfarm-bench-chat-'))
const provider = fork(join(import.meta.dirname, 'chat/paced-provider.ts'))
const [{ url: providerUrl }] = (await once(provider, 'message')) as [{ url: string }]
const mcp = await startMcpProgram(database.url, folder)
const program = await startChatProgram({ databaseUrl: database.url, mcpUrl: mcp.url, providerUrl })
const write = (text: string): boolean => process.stdout.write(`${text}\n`)
const times = (firstWords: readonly number[]): string =>
  `median ${quantile(firstWords, 0.5).toFixed(1)} ms, p99 ${quantile(firstWords, 0.99).toFixed(1)} ms`
try {
  write(
    `The chat: one process, ${availableParallelism()} cores for it, the MCP server, the provider, PostgreSQL and those who ask, Node ${process.version}\n`,
  )
  const oneByOne = async (url: string, more: object): Promise<number[]> => {
    const firstWords: number[] = []
    for (let n = 0; n < Number(values.questions); n++) {
      const { firstWordMs } = await ask(url, { messages: [{ role: 'user', content: `now ${n}` }], ...more })
      firstWords.push(firstWordMs)
    }
    // The first ones compile.
    return firstWords.slice(20)
  }
  write(
    `first word, one by one, from the provider: ${times(await oneByOne(`${providerUrl}/v1/chat/completions`, { model: 'paced', stream: true }))}`,
  )
  write(`first word, one by one, through the chat:  ${times(await oneByOne(program.url, { mode: 'balanced' }))}`)
  const before = peakMemoryMiB(program.pid)
  const [begin, cpu] = [performance.now(), cpuSeconds(program.pid)]
  const history = Array.from({ length: 6 }, (_, n) => [
    { role: 'user', content: `Question ${n}` },
    { role: 'assistant', content: `Answer ${n}: ${'so it is '.repeat(1000)}` },
  ]).flat()
  const answers = await Promise.all(
    Array.from({ length: chats }, () =>
      ask(program.url, { messages: [...history, { role: 'user', content: `${chats} ask` }] }),
    ),
  )
  write(`first word, ${chats} at once, through the chat: ${times(answers.map(({ firstWordMs }) => firstWordMs))}`)
  write(
    `${chats} at once: ${((performance.now() - begin) / 1000).toFixed(1)} s, ${(cpuSeconds(program.pid) - cpu).toFixed(1)} s of processor, ` +
      `at most ${Math.round(peakMemoryMiB(program.pid))} MiB of memory (${Math.round(before)} MiB before)`,
  )
} finally {
  provider.disconnect()
  await program.end()
  await mcp.end()
  await database.close()
  await rm(folder, { recursive: true, force: true })
}

interface Asked {
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
async function ask(url: string, body: object): Promise<Asked> {
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
