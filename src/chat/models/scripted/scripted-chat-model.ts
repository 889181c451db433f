import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import type { ModelState } from '../../../llm/model-state.ts'
import { chartOf } from './chart-of.ts'
import { failureIn, readPrompt } from './read-prompt.ts'
import { readResultTable } from './result-table.ts'
import { questionKey } from './scripted-example.ts'
import type { ScriptedExample } from './scripted-example.ts'
import { wordsFor } from './scripted-words.ts'

/** What it says in one step: words, a call, or both. */
interface Reply {
  readonly text: string
  readonly call?: { readonly toolName: string; readonly input: unknown }
}

export interface ScriptedChatModelOptions {
  /** Asked for anew with each question. */
  readonly examples: () => readonly ScriptedExample[]
  /** Pause between pieces of a text, so that it is seen to come, in milliseconds. Default 12. */
  readonly paceMs?: number
}

const sqlTool = 'run_indexer_sql'
const chartTool = 'createChart'

/** A few words. */
const pieceCharacters = 24

const nothingUsed: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

/**
 * No model: a script that knows the example questions and answers nothing else. It calls the tools as a model would, so that the
 * statements are really run and their rows really drawn. For trials without a key; it says what it is.
 */
export class ScriptedChatModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider = 'scripted'
  readonly modelId = 'example-questions'
  readonly supportedUrls = {}
  readonly state: ModelState = { provider: this.provider, name: this.modelId, isScripted: true }
  readonly #examples: () => readonly ScriptedExample[]
  readonly #paceMs: number

  constructor({ examples, paceMs = 12 }: ScriptedChatModelOptions) {
    this.#examples = examples
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
    const { question, said } = readPrompt(prompt)
    const words = wordsFor(question)
    const examples = this.#examples()
    const asked = questionKey(question)
    const example = examples.find(({ questions }) => questions.some((one) => questionKey(one) === asked))
    if (example === undefined) return { text: words.unknown(examples.map(({ questions }) => questions[0])) }
    const { sql, isShares = false, title = question } = example
    const has = (name: string): boolean =>
      toolChoice?.type !== 'none' && tools?.some((tool) => tool.name === name) === true
    const result = said.find(({ toolName }) => toolName === sqlTool)
    if (result === undefined)
      return has(sqlTool)
        ? { text: words.intro(), call: { toolName: sqlTool, input: { sql } } }
        : { text: words.withoutTool(sql) }
    const reason = failureIn(result)
    const table = reason === undefined ? readResultTable(result.output) : undefined
    if (table === undefined) return { text: words.failed(sql, reason ?? 'Its result cannot be read.') }
    const wasDrawn = said.some(({ toolName }) => toolName === chartTool)
    const chart =
      wasDrawn || !has(chartTool)
        ? undefined
        : chartOf(table, { title: words.isEnglish ? title : question.trim(), isShares })
    return chart === undefined
      ? { text: words.closing(sql, table) }
      : { text: '', call: { toolName: chartTool, input: chart } }
  }
}

function callId(): string {
  return `scripted-${randomUUID()}`
}

function endOf(call: Reply['call']): LanguageModelV4FinishReason {
  const unified = call === undefined ? 'stop' : 'tool-calls'
  return { unified, raw: unified }
}

/** A text in pieces that end with a space or a line where they can. */
function pieces(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${pieceCharacters}}(?:\\s|$)|[^]{1,${pieceCharacters}}`, 'gu')) ?? []
}
