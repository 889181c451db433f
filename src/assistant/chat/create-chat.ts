import { createHash } from 'node:crypto'
import type { ToolSet } from 'ai'
import { ApiError } from '../../platform/errors.ts'
import type { ModelState } from '../../platform/llm/settings.ts'
import type { Logger } from '../../platform/log.ts'
import { sqlToolNames } from '../mcp/query-tools.ts'
import { queryTargets } from '../query/query-service.ts'
import type { QueryTarget } from '../query/query-service.ts'
import type { Skills } from '../read-skills.ts'
import type { ChatChunk, ChatMode, TurnWatch } from './chat-types.ts'
import type { FoundMcpTools } from './connections/mcp-tool-source.ts'
import { buildInstructions } from './instructions.ts'
import type { PromptFacts, SchemaForm } from './instructions.ts'
import type { ChatModel, ChatModels } from './models/chat-models.ts'
import type { ChatRequest } from './read-chat-request.ts'
import { historyLimits } from './repair-answer.ts'
import { alertProposals } from './tools/alert-proposals.ts'
import type { ConfirmedTool } from './tools/alert-proposals.ts'
import { createChart } from './tools/create-chart.ts'
import { loadSkill } from './tools/load-skill.ts'
import { runTurn } from './turn/run-turn.ts'
import { withSimilarPairs } from './turn/similar-pairs.ts'
import type { FindPairs } from './turn/similar-pairs.ts'

export interface Question extends Pick<ChatRequest, 'messages' | 'notices'> {
  readonly mode: ChatMode
  readonly model: ChatModel
  readonly signal: AbortSignal
  readonly watch: TurnWatch
}

export interface ChatParts {
  readonly models: ChatModels
  readonly examples: readonly string[]
  readonly explorerUrl: string | undefined
  readonly linkHosts: readonly string[]
  /** Whether alerts can be e-mailed. */
  readonly sendsEmail: boolean
  readonly maxHistoryCharacters: number
  toolNames(): readonly string[]
  /** Connects to the tool servers before the first question. Rejects when the signal is aborted. */
  prepare(signal: AbortSignal): Promise<void>
  answer(question: Question): Promise<ReadableStream<ChatChunk>>
  /** @throws ApiError 503 `tools-missing`; an error whose message is the reason */
  runSql(target: QueryTarget, sql: string, signal: AbortSignal): Promise<unknown>
  /** Runs a tool that the user confirmed. @throws as `runSql` */
  confirm(tool: ConfirmedTool, input: object, signal: AbortSignal): Promise<unknown>
}

interface ChatOptions extends Pick<ChatParts, 'sendsEmail'> {
  readonly models: ChatModels
  readonly source: { find(signal: AbortSignal): Promise<FoundMcpTools> }
  readonly skills: Skills
  readonly findPairs: FindPairs
  readonly fetchApi: ToolSet
  readonly fetchHosts: readonly string[]
  readonly examples: readonly string[]
  readonly explorerUrl: string | undefined
  readonly network: () => string | undefined
  readonly contextTokens: number
  readonly timeoutMs: number
  readonly log: Logger
}

const charactersPerToken = 4

/** None of these hosts serves third-party pages. */
const documentationHosts: readonly string[] = [
  'developers.flow.com',
  'cadence-lang.org',
  'docs.blockscout.com',
  'www.postgresql.org',
]

export function createChat(options: ChatOptions): ChatParts {
  const { models, source, skills, findPairs, fetchApi, fetchHosts, examples, explorerUrl, network, timeoutMs, log } =
    options
  const maxHistoryCharacters = Math.min(historyLimits.characters, (options.contextTokens / 2) * charactersPerToken)
  const instructions = new Instructions()
  const builtIn: ToolSet = {
    createChart,
    ...(skills.all.length === 0 ? {} : { loadSkill: loadSkill(skills) }),
    ...fetchApi,
  }
  const linkHosts = [...documentationHosts, ...(explorerUrl === undefined ? [] : [new URL(explorerUrl).host])]
  let toolNames = Object.keys(builtIn)
  const find = async (
    signal: AbortSignal,
    provider: ToolSet = {},
  ): Promise<Pick<FoundMcpTools, 'tools' | 'missing' | 'texts'>> => {
    const found = await source.find(signal)
    const tools = mergeTools({ builtIn: { ...builtIn, ...alertProposals(found.tools) }, found: found.tools, provider })
    toolNames = Object.keys(tools)
    return { ...found, tools }
  }
  const answer = async ({
    messages,
    mode,
    model,
    notices,
    signal,
    watch,
  }: Question): Promise<ReadableStream<ChatChunk>> => {
    const { tools, missing, texts } = await find(signal, model.providerTools)
    // The scripted model compares the question.
    const targets = queryTargets.filter((target) => !model.state.isScripted && sqlToolNames[target] in tools)
    return runTurn(
      {
        messages: await withSimilarPairs(messages, targets, findPairs),
        mode,
        model,
        tools,
        signal,
        instructions: instructions.of({
          network: network(),
          tools: Object.keys(tools),
          missing,
          texts,
          skills: skills.all,
          form: schemaForm(model.state, mode),
          fetchHosts,
          linkHosts,
          today: new Date().toISOString().slice(0, 10),
        }),
        notices: [
          ...notices,
          ...missing.map(({ source: title, reason }) => ({
            code: 'tools-missing',
            text: `The answer continues without ${title}: ${reason}.`,
          })),
        ],
      },
      { timeoutMs, log, watch },
    )
  }
  const runSql: ChatParts['runSql'] = async (target, sql, signal) => {
    const { tools, missing } = await find(signal)
    const run = tools[sqlToolNames[target]]?.execute
    if (run === undefined) throw toolsMissing('SQL is', missing)
    const output: unknown = await run({ sql }, { toolCallId: 'sql', messages: [], context: {}, abortSignal: signal })
    return output
  }
  const confirm: ChatParts['confirm'] = async (name, input, signal) => {
    const { tools, missing } = await source.find(signal)
    const run = tools[name]?.execute
    if (run === undefined) throw toolsMissing('Alerts are', missing)
    const output: unknown = await run(input, { toolCallId: name, messages: [], context: {}, abortSignal: signal })
    return output
  }
  return {
    models,
    maxHistoryCharacters,
    runSql,
    confirm,
    examples,
    explorerUrl,
    linkHosts,
    sendsEmail: options.sendsEmail,
    toolNames: () => toolNames,
    answer,
    prepare: async (signal) => void (await find(signal)),
  }
}

function toolsMissing(what: string, missing: FoundMcpTools['missing']): ApiError {
  const reasons = missing.map(({ source: title, reason }) => `${title}: ${reason}`)
  const why = reasons.join('; ') || 'no server offers it'
  return new ApiError(503, 'tools-missing', `${what} unavailable: ${why}. Try again in a moment.`)
}

/** Per mode and set of tools; prompts contain the date. */
const maxCached = 12

export class Instructions {
  readonly #cache = new Map<string, string>()
  readonly #build: typeof buildInstructions

  constructor(build = buildInstructions) {
    this.#build = build
  }

  of(facts: PromptFacts): string {
    const key = keyOf(facts)
    const text = this.#cache.get(key) ?? this.#build(facts)
    this.#cache.delete(key)
    this.#cache.set(key, text)
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= maxCached) break
      this.#cache.delete(oldest)
    }
    return text
  }
}

/** Small and self-hosted models handle 80,000 characters slowly or not at all. */
export function schemaForm({ provider }: Pick<ModelState, 'provider'>, mode: ChatMode): SchemaForm {
  return mode === 'fast' || (provider === 'openai-compatible' && mode !== 'deep') ? 'compact' : 'full'
}

function keyOf({ texts, ...facts }: PromptFacts): string {
  return createHash('sha256')
    .update(JSON.stringify([facts, [...texts]]))
    .digest('base64')
}

export interface ToolsetParts {
  readonly builtIn: ToolSet
  readonly found: ToolSet
  readonly provider: ToolSet
}

/**
 * Built-in names take precedence over the provider's, and those over MCP servers'. Prompt caching
 * needs a fixed order.
 */
export function mergeTools({ builtIn, found, provider }: ToolsetParts): ToolSet {
  return { ...found, ...builtIn, ...provider, ...builtIn }
}
