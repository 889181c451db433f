import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from './chat/ask-chat.ts'
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
