import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'

type Prompt = LanguageModelV4CallOptions['prompt']

/**
 * A conversation in which no call has a name that every object has a property of, such as `constructor`: a model may call anything, and the
 * SDK looks names up in plain objects, so that the provider would be sent none and refuse the whole conversation.
 */
export function plainNames(prompt: Prompt): Prompt {
  return prompt.map((message) => {
    if (message.role === 'assistant') return { ...message, content: message.content.map(withPlainName) }
    if (message.role === 'tool') return { ...message, content: message.content.map(withPlainName) }
    return message
  })
}

function withPlainName<Part extends object>(part: Part): Part {
  return 'toolName' in part && typeof part.toolName === 'string' && part.toolName in {} ? { ...part, toolName: `no_tool_${part.toolName}` } : part
}
