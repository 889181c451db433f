import type { ChatMessage } from './contract.ts'

/** The service takes no more messages, and no longer bodies: 4 MB with all that is around them. */
const mostMessages = 200
const mostBytes = 3_500_000

/**
 * What of a conversation goes to the service: the newest of it, in whole turns, as much as it takes. What was said long ago is on the
 * page still, but the model is not told it again.
 */
export function historyToSend(messages: readonly ChatMessage[]): ChatMessage[] {
  const encoder = new TextEncoder()
  let bytes = 0
  let from = messages.length
  for (let i = messages.length - 1; i >= 0 && messages.length - i <= mostMessages; i--) {
    bytes += encoder.encode(JSON.stringify(messages[i])).length
    if (bytes > mostBytes) break
    // A turn begins with its question.
    if (messages[i]?.role === 'user') from = i
  }
  return from === messages.length ? messages.slice(-1) : messages.slice(from)
}
