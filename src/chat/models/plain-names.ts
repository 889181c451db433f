import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'

type Prompt = LanguageModelV4CallOptions['prompt']

/** What providers take for the name of a tool. */
const plain = /^[\w-]{1,64}$/

/**
 * A conversation in which each call has a name that its provider takes. A model may call anything: what is no name, which providers refuse with the
 * whole conversation, and what every object has a property of, such as `constructor`, in whose place the SDK sends none.
 */
export function plainNames(prompt: Prompt): Prompt {
  return prompt.map((message) => {
    if (message.role === 'assistant') return { ...message, content: message.content.map(withPlainName) }
    if (message.role === 'tool') return { ...message, content: message.content.map(withPlainName) }
    return message
  })
}

function withPlainName<Part extends object>(part: Part): Part {
  if (!('toolName' in part) || typeof part.toolName !== 'string') return part
  const { toolName } = part
  return plain.test(toolName) && !(toolName in {})
    ? part
    : { ...part, toolName: `no_tool_${toolName.replaceAll(/[^\w-]/g, '_').slice(0, 50)}` }
}
