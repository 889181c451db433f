import type { ToolSet } from 'ai'
import { untilAborted } from '../../../platform/abort-reason.ts'
import { asError } from '../../../platform/errors.ts'

/** Calls of tools in a turn. */
export const mostToolCalls = 60

/** The longest output that goes to the client as it is, in characters of JSON; a longer one goes as the model reads it. */
const mostClientCharacters = 1_000_000

/** The longest reason for which a tool failed. */
const mostErrorCharacters = 4000

/** Is told as its words alone: what an error is called says nothing to a model, and less to people. */
class ToolFailure extends Error {
  override readonly name = ''

  constructor(cause: unknown) {
    super(asError(cause).message.slice(0, mostErrorCharacters), { cause })
  }
}

type Tool = ToolSet[string]
type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>

/**
 * The tools of one turn, within bounds: how often they are called, how long what they give is, and that they end with the signal
 * whatever they do about it themselves. Their failures have words and no more.
 */
export function boundTools(tools: ToolSet, signal: AbortSignal): ToolSet {
  const budget = new ResultBudget()
  let calls = 0
  const count = (): void => {
    calls++
    if (calls > mostToolCalls)
      throw new Error(`No more than ${mostToolCalls} calls of tools in one answer. Answer with what you have.`)
  }
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, isOurs(tool) ? boundTool(tool, signal, budget, count) : tool]),
  )
}

type OwnTool = Tool & { readonly execute: NonNullable<Tool['execute']> }

/** Those of the provider run there. */
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
      // What comes of a tool that goes on after that is nobody's.
      const output: unknown = await untilAborted(
        Promise.resolve(tool.execute(input, { ...options, abortSignal: signal })),
        signal,
      )
      const isLong = (JSON.stringify(output)?.length ?? 0) > mostClientCharacters
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

/** As text, the parts that are none left out: pictures of strangers are nothing that a model should read here. */
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
  return output.value.map((part) => ('text' in part ? part.text : '[a part that is no text was left out]')).join('\n')
}

/** The longest result that goes to the model, in characters: some 20,000 tokens. */
export const mostResultCharacters = 60_000

/** All results of a turn together; with a long conversation before it this is what models of the usual size can read. */
const mostTurnCharacters = 240_000

/** What a result keeps when the turn has had its share, so that the model sees at least what it is. */
const leastResultCharacters = 4000

/** Cuts what tools gave to what a model can read, and tells it so. */
export class ResultBudget {
  readonly #lengths = new Map<string, number>()
  #left = mostTurnCharacters

  /** @param call its id: a result that is asked for again is cut at the same place */
  cut(call: string, text: string): string {
    let most = this.#lengths.get(call)
    if (most === undefined) {
      most = Math.min(mostResultCharacters, Math.max(leastResultCharacters, this.#left))
      this.#lengths.set(call, most)
      this.#left -= Math.min(most, text.length)
    }
    if (text.length <= most) return text
    return `${text.slice(0, most).toWellFormed()}\n[Cut here: ${most} of ${text.length} characters. Ask for less, e.g. fewer columns or rows, or sums.]`
  }
}
