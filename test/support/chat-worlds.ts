import { setTimeout as delay } from 'node:timers/promises'
import type { UIMessageChunk } from 'ai'
import type { ChatReply, ChatWorld } from './fake-chat.ts'

/** Made-up chat responses, chunk by chunk. */

export const daysSql = `SELECT date, transaction_count AS transactions, round(total_fees, 2) AS fees
FROM analytics.daily_stats
WHERE date >= current_date - 7 -- the last week
ORDER BY date`

export const settings = {
  modes: [
    { mode: 'fast', model: 'anthropic/claude-haiku-4-5' },
    { mode: 'balanced', model: 'anthropic/claude-sonnet-4-6' },
    { mode: 'deep', model: 'anthropic/claude-opus-4-7' },
  ],
  default_mode: 'balanced',
  is_scripted: false,
  remedy: null,
  needs_token: false,
  examples: [
    'How many transactions were there on each of the last 14 days?',
    'Which accounts sent the most FLOW this week?',
    'How is staked FLOW spread over the kinds of nodes?',
    'Which tokens have the most holders?',
    'What share of transactions failed, day by day?',
    '最近七天每天有多少笔交易？',
  ],
  explorer_url: 'http://explorer.example:8082',
  link_hosts: ['developers.flow.com'],
  tools: ['run_indexer_sql', 'createChart'],
  max_message_characters: 20_000,
  max_history_characters: 400_000,
  sends_email: true,
  share_days: 30,
}

let ids = 0
const nextId = (): string => `part-${++ids}`

/** A text in chunks of a few letters, as a model streams it. */
export function textChunks(text: string, pieceLength = 24): UIMessageChunk[] {
  const id = nextId()
  const pieces = text.match(new RegExp(`[\\s\\S]{1,${pieceLength}}`, 'gu')) ?? []
  return [
    { type: 'text-start', id },
    ...pieces.map((delta) => ({ type: 'text-delta' as const, id, delta })),
    { type: 'text-end', id },
  ]
}

export function reasoningChunks(text: string): UIMessageChunk[] {
  const id = nextId()
  return [
    { type: 'reasoning-start', id },
    { type: 'reasoning-delta', id, delta: text },
    { type: 'reasoning-end', id },
  ]
}

/** A call of an MCP server's tool, with its result. */
export function calls(toolName: string, input: object, structuredContent: object, isError = false): UIMessageChunk[] {
  const toolCallId = nextId()
  return [
    { type: 'tool-input-start', toolCallId, toolName, dynamic: true },
    { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true },
    {
      type: 'tool-output-available',
      toolCallId,
      output: { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent, isError },
      dynamic: true,
    },
  ]
}

/** A call of a built-in tool. */
export function uses(toolName: string, input: object, output: object = input): UIMessageChunk[] {
  const toolCallId = nextId()
  return [
    { type: 'tool-input-available', toolCallId, toolName, input },
    { type: 'tool-output-available', toolCallId, output },
  ]
}

const metadata = {
  mode: 'balanced',
  model: 'anthropic/claude-sonnet-4-6',
  end: 'complete',
  steps: 3,
  durationMs: 4210,
  usage: { inputTokens: 3100, outputTokens: 312, reasoningTokens: null, totalTokens: 3412 },
}

/** A complete response: its chunks and its end. */
export function answer(pieces: readonly UIMessageChunk[], reported: object = metadata): UIMessageChunk[] {
  return [
    { type: 'start' },
    { type: 'start-step' },
    ...pieces,
    { type: 'finish-step' },
    { type: 'finish', messageMetadata: reported },
  ]
}

/** Chunks of a response that ends only after an event. */
export async function* held(
  pieces: readonly UIMessageChunk[],
  until: Promise<unknown>,
): AsyncGenerator<UIMessageChunk> {
  yield* pieces
  await until
}

/**
 * A response that streams until the client disconnects. @param opening the start of its last text
 */
export async function* endless(
  first: readonly UIMessageChunk[],
  word = 'more ',
  opening = '',
): AsyncGenerator<UIMessageChunk> {
  yield* [{ type: 'start' }, { type: 'start-step' }, ...first] satisfies UIMessageChunk[]
  const id = nextId()
  yield { type: 'text-start', id }
  if (opening !== '') yield { type: 'text-delta', id, delta: opening }
  for (;;) {
    yield { type: 'text-delta', id, delta: word }
    await delay(15)
  }
}

export const days = Array.from({ length: 14 }, (_, i) => ({
  date: `2026-11-${String(i + 8).padStart(2, '0')}`,
  transactions: String(118_402 + ((i * 7919) % 60_000)),
  fees: `${812 + ((i * 131) % 300)}.50`,
}))

export const dayRows = {
  target: 'indexer',
  sql: daysSql,
  columns: ['date', 'transactions', 'fees'],
  column_types: ['date', 'int8', 'numeric'],
  results: days,
  rows: days,
  row_count: 14,
  truncated: false,
  truncated_by: null,
  error: null,
  duration_ms: 214,
}

const dayNames = days.map(({ date }) => date)
const counts = days.map(({ transactions }) => Number(transactions))

/** One of each kind. */
export const charts = {
  bar: {
    chartType: 'bar',
    title: 'Transactions by day',
    labels: dayNames,
    datasets: [{ label: 'transactions', data: counts }],
  },
  line: {
    chartType: 'line',
    title: 'Sealed and failed transactions by day',
    labels: dayNames,
    datasets: [
      { label: 'sealed', data: counts },
      { label: 'failed', data: counts.map((count) => Math.round(count / 9)) },
      { label: 'expired', data: counts.map((count, i) => Math.round(count / (20 + i))) },
    ],
  },
  pie: {
    chartType: 'pie',
    title: 'Staked FLOW by kind of node',
    labels: ['Verification', 'Execution', 'Consensus', 'Collection', 'Access'],
    datasets: [{ label: 'FLOW', data: [212_000_000, 188_500_000, 151_200_000, 44_100_000, 2_300_000.5] }],
  },
  doughnut: {
    chartType: 'doughnut',
    title: 'Holders by token',
    labels: Array.from({ length: 12 }, (_, i) => ['FLOW', 'USD Flow', 'stFLOW', 'Ankr'][i] ?? `Token ${i}`),
    datasets: [{ label: 'holders', data: Array.from({ length: 12 }, (_, i) => Math.round(90_000 / (i + 1))) }],
  },
  horizontalBar: {
    chartType: 'horizontalBar',
    title: 'Accounts that sent the most FLOW',
    labels: [
      '0x1654653399040a61',
      '0xf233dcee88fe0abe',
      '0x8c5303eaa26202d6',
      'A very long name of an account that somebody chose',
      '0xe467b9dd11fa00df',
    ],
    datasets: [{ label: 'FLOW', data: [1_204_512.25, 804_221, 212_020.5, 90_112, 41] }],
  },
}

const table = `| Day | Transactions | Fees (FLOW) |
| --- | ---: | --- |
${days
  .slice(0, 7)
  .map(({ date, transactions, fees }) => `| ${date} | ${Number(transactions).toLocaleString('en-US')} | ${fees} |`)
  .join('\n')}`

export const goodAnswer = answer([
  ...textChunks('I will count the transactions of each day.'),
  ...calls('run_indexer_sql', { sql: daysSql }, dayRows),
  ...uses('createChart', charts.bar),
  ...textChunks(`There were **about 140,000 transactions a day**; the busiest day was \`2026-11-21\`, up to block \`98,765,432\`. Most came from \`0x1654653399040a61\`.

${table}

It was counted with:

\`\`\`sql
${daysSql}
\`\`\`

See [the documentation](https://developers.flow.com/build) for what counts as a transaction.`),
])

/** The default responses. */
export function chatWorld(): ChatWorld {
  return { settings, reply: () => ({ chunks: goodAnswer }) }
}

export function replyWith(...pieces: readonly UIMessageChunk[]): ChatReply {
  return { chunks: answer(pieces) }
}
