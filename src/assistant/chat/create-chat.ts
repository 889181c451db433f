import { createHash } from 'node:crypto'
import type { ToolSet } from 'ai'
import type { ModelState } from '../../platform/llm/settings.ts'
import type { Logger } from '../../platform/log.ts'
import type { Skills } from '../skills/read-skills.ts'
import type { ChatChunk, ChatMode, TurnWatch } from './chat-types.ts'
import type { FoundMcpTools } from './connections/mcp-tool-source.ts'
import { buildInstructions } from './instructions.ts'
import type { PromptFacts, SchemaForm } from './instructions.ts'
import type { ChatModel, ChatModels } from './models/chat-models.ts'
import type { ChatRequest } from './read-chat-request.ts'
import { createChart } from './tools/create-chart.ts'
import { loadSkill } from './tools/load-skill.ts'
import { runTurn } from './turn/run-turn.ts'

/** A question that is to be answered now. */
export interface Question extends Pick<ChatRequest, 'messages' | 'notices'> {
  readonly mode: ChatMode
  readonly model: ChatModel
  /** As `TurnRequest` has it. */
  readonly signal: AbortSignal
  readonly watch: TurnWatch
}

/** What the routes lean on. */
export interface ChatParts {
  readonly models: ChatModels
  /** Questions to begin with, for the page. */
  readonly examples: readonly string[]
  /** Where people reach the explorer. */
  readonly explorerUrl: string | undefined
  /** Hosts that links in answers may lead to, besides the page's own. */
  readonly linkHosts: readonly string[]
  /** Names of the tools that there were last. */
  toolNames(): readonly string[]
  /** Looks which tools there are, so that the first question need not wait for it. Rejects when the signal is aborted. */
  prepare(signal: AbortSignal): Promise<void>
  /** Gathers the tools and begins the answer; the rest is in the stream. Rejects for faults of ours, and when the signal is aborted. */
  answer(question: Question): Promise<ReadableStream<ChatChunk>>
}

interface ChatOptions {
  readonly models: ChatModels
  /** Tools of MCP servers, with the texts of ours that the instructions are made of. */
  readonly source: { find(signal: AbortSignal): Promise<FoundMcpTools> }
  readonly skills: Skills
  /** `fetch_api`, or none. */
  readonly fetchApi: ToolSet
  /** FETCH_API_HOSTS */
  readonly fetchHosts: readonly string[]
  readonly examples: readonly string[]
  /** CHAT_EXPLORER_URL */
  readonly explorerUrl: string | undefined
  /** Of the chain; undefined: not known yet. */
  readonly network: () => string | undefined
  /** CHAT_TIMEOUT_S, ms. */
  readonly timeoutMs: number
  readonly log: Logger
}

/** Hosts of documentation that answers may lead to. None of them serves pages of strangers. */
const documentationHosts: readonly string[] = [
  'developers.flow.com',
  'cadence-lang.org',
  'docs.blockscout.com',
  'www.postgresql.org',
]

/** The chat without its server: models, tools and instructions put together for each question. */
export function createChat(options: ChatOptions): ChatParts {
  const { models, source, skills, fetchApi, fetchHosts, examples, explorerUrl, network, timeoutMs, log } = options
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
    const tools = mergeTools({ builtIn, found: found.tools, provider })
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
    return runTurn(
      {
        messages,
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
            text: `This answer goes on without ${title}: ${reason}.`,
          })),
        ],
      },
      { timeoutMs, log, watch },
    )
  }
  return {
    models,
    examples,
    explorerUrl,
    linkHosts,
    toolNames: () => toolNames,
    answer,
    prepare: async (signal) => void (await find(signal)),
  }
}

/** Prompts that are kept: one for each mode and state of the tools; the rest are of yesterday. */
const mostKept = 12

/**
 * The text before a conversation, made once for what there is: all turns of a kind share one text, so that two hundred of them take the room of one
 * and a provider that keeps prompts meets the same again.
 */
export class Instructions {
  readonly #kept = new Map<string, string>()
  readonly #build: typeof buildInstructions

  constructor(build = buildInstructions) {
    this.#build = build
  }

  of(facts: PromptFacts): string {
    const key = keyOf(facts)
    const text = this.#kept.get(key) ?? this.#build(facts)
    this.#kept.delete(key)
    this.#kept.set(key, text)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break
      this.#kept.delete(oldest)
    }
    return text
  }
}

/** How much of the tables a model is told: the small ones, and those on machines of one's own, read 80,000 characters slowly or not at all. */
export function schemaForm({ provider }: Pick<ModelState, 'provider'>, mode: ChatMode): SchemaForm {
  return mode === 'fast' || (provider === 'openai-compatible' && mode !== 'deep') ? 'compact' : 'full'
}

function keyOf({ texts, ...facts }: PromptFacts): string {
  return createHash('sha256')
    .update(JSON.stringify([facts, [...texts]]))
    .digest('base64')
}

export interface ToolsetParts {
  /** Ours: `fetch_api`, `createChart`, `loadSkill`. */
  readonly builtIn: ToolSet
  /** Those of MCP servers. */
  readonly found: ToolSet
  /** Those that the provider of the model runs: `web_search`, or none. */
  readonly provider: ToolSet
}

/**
 * All tools of a turn. Our own names count before those of the provider, and these before those of MCP servers. The order is always the same: what a
 * provider keeps of a prompt is good only while the list of tools before it does not change.
 */
export function mergeTools({ builtIn, found, provider }: ToolsetParts): ToolSet {
  return { ...found, ...builtIn, ...provider, ...builtIn }
}
