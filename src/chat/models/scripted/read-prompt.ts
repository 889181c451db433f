import type { LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'

/** What a tool said since the question was asked. */
export interface ToolSaid {
  readonly toolName: string
  readonly output: LanguageModelV4ToolResultOutput
}

export interface ReadPrompt {
  /** What was asked last. */
  readonly question: string
  /** In the order in which they came. */
  readonly said: readonly ToolSaid[]
}

/** The question that is to be answered, and what was found for it so far. */
export function readPrompt(prompt: LanguageModelV4Prompt): ReadPrompt {
  const at = prompt.findLastIndex(({ role }) => role === 'user')
  const asked = prompt[at]
  const question =
    asked?.role === 'user' ? asked.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ') : ''
  const said = prompt
    .slice(at + 1)
    .flatMap((message) => (message.role === 'tool' ? message.content : []))
    .filter((part) => part.type === 'tool-result')
    .map(({ toolName, output }) => ({ toolName, output }))
  return { question, said }
}

/** Why a tool failed, in its own words; undefined where it did not. */
export function failureIn({ output }: ToolSaid): string | undefined {
  if (output.type === 'error-text') return output.value
  if (output.type === 'error-json') return JSON.stringify(output.value)
  return output.type === 'execution-denied' ? (output.reason ?? 'It was not allowed.') : undefined
}
