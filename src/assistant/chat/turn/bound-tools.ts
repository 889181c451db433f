import type { ToolSet } from 'ai'
import { untilAborted } from '../../../platform/signals.ts'
import { asError } from '../../../platform/errors.ts'

export const maxToolCalls = 60

/** In characters of JSON; longer outputs are sent to the client in their model form. */
const maxClientCharacters = 1_000_000

const maxErrorCharacters = 4000

/** Shown as its message alone, without a class name. */
class ToolFailure extends Error {
  override readonly name = ''

  constructor(cause: unknown) {
    super(asError(cause).message.slice(0, maxErrorCharacters), { cause })
  }
}

type Tool = ToolSet[string]
type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>

export function boundTools(tools: ToolSet, signal: AbortSignal): ToolSet {
  const budget = new ResultBudget()
  let calls = 0
  const count = (): void => {
    calls++
    if (calls > maxToolCalls)
      throw new Error(`Tool call limit reached (${maxToolCalls} per answer). Answer with what you have.`)
  }
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, isOurs(tool) ? boundTool(tool, signal, budget, count) : tool]),
  )
}

type OwnTool = Tool & { readonly execute: NonNullable<Tool['execute']> }

function isOurs(tool: Tool): tool is OwnTool {
  return tool.execute !== undefined
}

function boundTool(tool: OwnTool, signal: AbortSignal, budget: ResultBudget, count: () => void): Tool {
  const toModelOutput = async (call: { toolCallId: string; input: unknown; output: unknown }): Promise<ModelOutput> => {
    const output = tool.toModelOutput === undefined ? plainOutput(call.output) : await tool.toModelOutput(call)
    return cutOutput(output, (text) => budget.cut(call.toolCallId, text))
  }
  const execute: OwnTool['execute'] = async (input: unknown, options) => {
    try {
      count()
      const output: unknown = await untilAborted(
        Promise.resolve(tool.execute(input, { ...options, abortSignal: signal })),
        signal,
      )
      const isLong = (JSON.stringify(output)?.length ?? 0) > maxClientCharacters
      return isLong ? textOf(await toModelOutput({ toolCallId: options.toolCallId, input, output })) : output
    } catch (error) {
      signal.throwIfAborted()
      throw new ToolFailure(error)
    }
  }
  return { ...tool, execute, toModelOutput }
}

function plainOutput(output: unknown): ModelOutput {
  return { type: 'text', value: typeof output === 'string' ? output : JSON.stringify(output ?? null) }
}

/** Third-party images are not passed to the model. */
function cutOutput(output: ModelOutput, cut: (text: string) => string): ModelOutput {
  if (output.type === 'execution-denied') return output
  if (output.type === 'error-text' || output.type === 'error-json')
    return { type: 'error-text', value: cut(textOf(output)) }
  return { type: 'text', value: cut(textOf(output)) }
}

function textOf(output: ModelOutput): string {
  if (output.type === 'execution-denied') return output.reason ?? 'denied'
  if (output.type === 'text' || output.type === 'error-text') return output.value
  if (output.type !== 'content') return JSON.stringify(output.value)
  return output.value.map((part) => ('text' in part ? part.text : '[non-text part omitted]')).join('\n')
}

/** About 20,000 tokens. */
export const maxResultCharacters = 60_000

const maxTurnCharacters = 240_000

const minResultCharacters = 4000

export class ResultBudget {
  readonly #lengths = new Map<string, number>()
  #left = maxTurnCharacters

  /** @param call its id: a repeated conversion cuts at the same place */
  cut(call: string, text: string): string {
    let max = this.#lengths.get(call)
    if (max === undefined) {
      max = Math.min(maxResultCharacters, Math.max(minResultCharacters, this.#left))
      this.#lengths.set(call, max)
      this.#left -= Math.min(max, text.length)
    }
    if (text.length <= max) return text
    return (
      `${text.slice(0, max).toWellFormed()}\n[Truncated: ${max} of ${text.length} characters. Request less, ` +
      'for example fewer columns or rows, or aggregates.]'
    )
  }
}
