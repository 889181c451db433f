import { convertToModelMessages } from 'ai'
import type { ModelMessage, SystemModelMessage, ToolSet } from 'ai'
import type { ChatMessage } from '../chat-message.ts'
import { mostSteps } from './chat-turn.ts'

/** Anthropic keeps what comes before such a mark, so that it need not read it anew with each step and question. Others take no notice. */
const kept = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

/** The instructions, which are long and the same for all. */
export function instructionsMessage(instructions: string): SystemModelMessage {
  return { role: 'system', content: instructions, providerOptions: kept }
}

/** What was said so far as models take it. What only the page shows is left out. */
export async function modelMessages(messages: readonly ChatMessage[], tools: ToolSet): Promise<ModelMessage[]> {
  const converted = await convertToModelMessages([...messages], { tools, ignoreIncompleteToolCalls: true })
  // An answer of which nothing goes back leaves an empty message, which providers refuse.
  return converted.filter(({ content }) => content.length > 0)
}

/** Marks the end of the conversation as kept, and nothing before: providers take four marks at most. */
export function markEnd(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.length - 1
  return messages.map((message, index) => {
    if (index === last) return { ...message, providerOptions: { ...message.providerOptions, ...kept } }
    if (message.providerOptions?.['anthropic'] === undefined) return message
    const { anthropic, ...others } = message.providerOptions
    const { cacheControl, ...rest } = anthropic
    return cacheControl === undefined ? message : { ...message, providerOptions: { ...others, anthropic: rest } }
  })
}

/** What the model is told on its last step. */
export const closingRequest: ModelMessage = {
  role: 'user',
  content: `[Note of the chat service, not of the user: you have used all of your ${mostSteps} steps, so there are no more tools. Answer the question now with what you have found. Say what you could not find out.]`,
}
