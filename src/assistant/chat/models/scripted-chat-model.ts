import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import type { ModelState } from '../../../platform/llm/settings.ts'
import { alertToolNames } from '../../mcp/alert-tools.ts'
import type { AlertQuestion } from '../../query/alerts/read-alert-question.ts'
import { exampleQuestions, isAlertQuestion, readAlertQuestion } from '../../query/alerts/read-alert-question.ts'
import { chartOf } from './chart-of.ts'
import { markdownTable, readResultTable } from './result-table.ts'
import type { ResultTable } from './result-table.ts'

export interface ScriptedExample {
  /** In English or Chinese; the first one is shown. */
  readonly questions: readonly [string, ...string[]]
  readonly sql: string
  readonly title?: string
  readonly isShares?: boolean
}

/** Equal for questions that differ only in case, spaces and final punctuation. */
export function questionKey(question: string): string {
  return question
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s?!.。]+$/, '')
}

interface Reply {
  readonly text: string
  readonly call?: { readonly toolName: string; readonly input: unknown }
}

interface ScriptedChatModelOptions {
  readonly examples: () => readonly ScriptedExample[]
  /** Questions whose value or rows an alert may watch. Default: `examples`. */
  readonly watched?: () => readonly Pick<ScriptedExample, 'questions' | 'sql'>[]
  readonly paceMs?: number
}

const sqlTool = 'run_indexer_sql'
const chartTool = 'createChart'

const pieceCharacters = 24

const nothingUsed: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

/** For trials without an API key. Its tool calls run, so charts show real rows. */
export class ScriptedChatModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider = 'scripted'
  readonly modelId = 'example-questions'
  readonly supportedUrls = {}
  readonly state: ModelState = { provider: this.provider, name: this.modelId, isScripted: true }
  readonly #examples: () => readonly ScriptedExample[]
  readonly #watched: () => readonly Pick<ScriptedExample, 'questions' | 'sql'>[]
  readonly #paceMs: number

  constructor({ examples, watched = examples, paceMs = 12 }: ScriptedChatModelOptions) {
    this.#examples = examples
    this.#watched = watched
    this.#paceMs = paceMs
  }

  doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { text, call } = this.#reply(options)
    const content: LanguageModelV4Content[] = text === '' ? [] : [{ type: 'text', text }]
    if (call !== undefined)
      content.push({
        type: 'tool-call',
        toolCallId: callId(),
        toolName: call.toolName,
        input: JSON.stringify(call.input),
      })
    return Promise.resolve({ content, finishReason: endOf(call), usage: nothingUsed, warnings: [] })
  }

  doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    return Promise.resolve({ stream: ReadableStream.from(this.#parts(options)) })
  }

  async *#parts(options: LanguageModelV4CallOptions): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
    const { text, call } = this.#reply(options)
    const { abortSignal } = options
    yield { type: 'stream-start', warnings: [] }
    if (text !== '') {
      const id = randomUUID()
      yield { type: 'text-start', id }
      for (const delta of pieces(text)) {
        yield { type: 'text-delta', id, delta }
        await delay(this.#paceMs, undefined, abortSignal === undefined ? {} : { signal: abortSignal })
      }
      yield { type: 'text-end', id }
    }
    if (call !== undefined) {
      const id = callId()
      const input = JSON.stringify(call.input)
      yield { type: 'tool-input-start', id, toolName: call.toolName }
      yield { type: 'tool-input-delta', id, delta: input }
      yield { type: 'tool-input-end', id }
      yield { type: 'tool-call', toolCallId: id, toolName: call.toolName, input }
    }
    yield { type: 'finish', usage: nothingUsed, finishReason: endOf(call) }
  }

  #reply({ prompt, tools, toolChoice }: LanguageModelV4CallOptions): Reply {
    const { question, results, answers } = readPrompt(prompt)
    const words = wordsFor(question)
    const hasNote = [english, chinese].some(({ note }) => answers.includes(note))
    const examples = this.#examples()
    const key = questionKey(question)
    const has = (name: string): boolean =>
      toolChoice?.type !== 'none' && tools?.some((tool) => tool.name === name) === true
    const alert = isAlertQuestion(question) && has(alertToolNames.create) ? this.#alertOf(question) : undefined
    if (alert !== undefined) {
      const proposal = results.find(({ toolName }) => toolName === alertToolNames.create)
      if (proposal === undefined) return { text: '', call: { toolName: alertToolNames.create, input: alert } }
      const failure = failureIn(proposal)
      if (failure !== undefined) return { text: words.failed(alert.sql, failure) }
      return { text: [words.proposed, ...(hasNote ? [] : [words.note])].join('\n\n') }
    }
    const example = examples.find(({ questions }) => questions.some((one) => questionKey(one) === key))
    if (example === undefined) return { text: words.unknown(examples.map(({ questions }) => questions[0])) }
    const { sql, isShares = false, title = question } = example
    const result = results.find(({ toolName }) => toolName === sqlTool)
    if (result === undefined)
      return has(sqlTool)
        ? { text: words.intro(), call: { toolName: sqlTool, input: { sql } } }
        : { text: words.withoutTool(sql) }
    const reason = failureIn(result)
    const table = reason === undefined ? readResultTable(result.output) : undefined
    if (table === undefined) return { text: words.failed(sql, reason ?? 'Invalid result.') }
    const hasChart = results.some(({ toolName }) => toolName === chartTool)
    const chart =
      hasChart || !has(chartTool)
        ? undefined
        : chartOf(table, { title: words.isEnglish ? title : question.trim(), isShares })
    return chart === undefined
      ? { text: [words.closing(sql, table), ...(hasNote ? [] : [words.note])].join('\n\n') }
      : { text: '', call: { toolName: chartTool, input: chart } }
  }

  #alertOf(question: string): ScriptedAlert | undefined {
    const alert = readAlertQuestion(question)
    const keys = exampleQuestions(alert).map(questionKey)
    const found = this.#watched().find(({ questions }) => questions.some((one) => keys.includes(questionKey(one))))
    if (found === undefined) return undefined
    const { name, condition, intervalSeconds } = alert
    return { name, question, sql: found.sql, condition, interval_seconds: intervalSeconds }
  }
}

interface ScriptedAlert extends Pick<AlertQuestion, 'name' | 'condition'> {
  readonly question: string
  readonly sql: string
  readonly interval_seconds: number
}

function callId(): string {
  return `scripted-${randomUUID()}`
}

function endOf(call: Reply['call']): LanguageModelV4FinishReason {
  const unified = call === undefined ? 'stop' : 'tool-calls'
  return { unified, raw: unified }
}

function pieces(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${pieceCharacters}}(?:\\s|$)|[^]{1,${pieceCharacters}}`, 'gu')) ?? []
}

interface ToolResult {
  readonly toolName: string
  readonly output: LanguageModelV4ToolResultOutput
}

interface ReadPrompt {
  readonly question: string
  /** Text of the earlier answers. */
  readonly answers: string
  readonly results: readonly ToolResult[]
}

function readPrompt(prompt: LanguageModelV4Prompt): ReadPrompt {
  const at = prompt.findLastIndex(({ role }) => role === 'user')
  const message = prompt[at]
  const question =
    message?.role === 'user' ? message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ') : ''
  const results = prompt
    .slice(at + 1)
    .flatMap((message) => (message.role === 'tool' ? message.content : []))
    .filter((part) => part.type === 'tool-result')
    .map(({ toolName, output }) => ({ toolName, output }))
  const answers = prompt
    .slice(0, Math.max(0, at))
    .flatMap((earlier) => (earlier.role === 'assistant' ? earlier.content : []))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
  return { question, answers, results }
}

function failureIn({ output }: ToolResult): string | undefined {
  if (output.type === 'error-text') return output.value
  if (output.type === 'error-json') return JSON.stringify(output.value)
  return output.type === 'execution-denied' ? (output.reason ?? 'Not allowed.') : undefined
}

interface ScriptedWords {
  readonly isEnglish: boolean
  /** Once in a conversation. */
  readonly note: string
  readonly proposed: string
  intro(): string
  closing(sql: string, table: ResultTable): string
  unknown(examples: readonly string[]): string
  withoutTool(sql: string): string
  failed(sql: string, reason: string): string
}

const maxRows = 10
const maxReasonCharacters = 600

const english: ScriptedWords = {
  isEnglish: true,
  note: '*No language model is configured. A script answers the example questions with real queries.*',
  proposed: 'Review the alert and confirm it.',
  intro: () => 'I will look that up in the indexed data.\n\n',
  closing: (sql, table) =>
    [
      ...(table.rows.length === 0
        ? ['The statement returned **no rows**: nothing of that kind has been indexed yet.']
        : [
            [
              `The statement returned **${count(table, 'row', 'rows')}**`,
              table.isCut ? ' (truncated)' : '',
              table.rows.length > maxRows ? `; the first ${maxRows}:` : ':',
            ].join(''),
            markdownTable(table, maxRows),
          ]),
      'SQL:',
      sqlBlock(sql),
    ].join('\n\n'),
  unknown: (examples) =>
    [
      '**No language model is configured. Only these example questions work:**',
      examples.map((question) => `- ${question}`).join('\n'),
      'To ask anything else, configure a model: set `LLM_PROVIDER` and `LLM_API_KEY`, or `LLM_BASE_URL` and ' +
        '`LLM_MODEL` for any OpenAI-compatible server. Then restart the chat.',
    ].join('\n\n'),
  withoutTool: (sql) => ['The SQL tool is unavailable. The statement is:', sqlBlock(sql)].join('\n\n'),
  failed: (sql, reason) => ['The statement failed:', quoted(reason), 'SQL:', sqlBlock(sql)].join('\n\n'),
}

const chinese: ScriptedWords = {
  isEnglish: false,
  note: '*这里没有模型：示例问题由脚本回答，但其中的语句是真实执行的。*',
  proposed: '请检查并确认这个提醒。',
  intro: () => '我在已索引的链上数据中查询。\n\n',
  closing: (sql, table) =>
    [
      ...(table.rows.length === 0
        ? ['语句已执行，但**没有结果**：已索引的链上还没有这类数据。']
        : [
            [
              `语句返回了 **${table.rows.length} 行**`,
              table.isCut ? '（结果已截断）' : '',
              table.rows.length > maxRows ? `，以下是前 ${maxRows} 行：` : '：',
            ].join(''),
            markdownTable(table, maxRows),
          ]),
      '执行的 SQL：',
      sqlBlock(sql),
    ].join('\n\n'),
  unknown: (examples) =>
    [
      '**这里没有模型，只有一个脚本，它只认识这些问题：**',
      examples.map((question) => `- ${question}`).join('\n'),
      '要问别的问题，请设置一个模型：`LLM_API_KEY` 和 `LLM_PROVIDER`；或者用 `LLM_BASE_URL` 和 `LLM_MODEL` 指向任何兼容 OpenAI 接口的服务。然后重新启动。',
    ].join('\n\n'),
  withoutTool: (sql) => ['目前没有可以执行 SQL 的工具，所以没有数据。我会执行的语句是：', sqlBlock(sql)].join('\n\n'),
  failed: (sql, reason) => ['语句无法执行。工具的说明：', quoted(reason), 'SQL：', sqlBlock(sql)].join('\n\n'),
}

function wordsFor(question: string): ScriptedWords {
  return /\p{Script=Han}/u.test(question) ? chinese : english
}

function count({ rows }: ResultTable, one: string, many: string): string {
  return `${rows.length} ${rows.length === 1 ? one : many}`
}

function sqlBlock(sql: string): string {
  return `\`\`\`sql\n${sql}\n\`\`\``
}

/** As a code block, so that Markdown in it has no effect. */
function quoted(text: string): string {
  return text
    .slice(0, maxReasonCharacters)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}
