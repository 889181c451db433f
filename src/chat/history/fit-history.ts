import type { ChatMessage } from '../chat-message.ts'
import { historyLimits } from './history-limits.ts'
import { charactersOf } from './repair-answer.ts'

/** What was said, without ids: they are of no use to a model. */
export type Said = Pick<ChatMessage, 'role' | 'parts'>

/** The newest turns that fit, each a question with all that was answered; the last one always does. */
export function fitHistory(messages: readonly Said[]): readonly Said[] {
  let first = messages.length
  let characters = 0
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]
    if (message === undefined) break
    characters += charactersOf(message.parts)
    if (characters > historyLimits.characters) break
    if (message.role === 'user') first = i
  }
  return messages.slice(first)
}

/** The same with a turn for each: who asked twice without an answer asked once, in two paragraphs. Some servers refuse anything else. */
export function inTurns(messages: readonly Said[]): readonly Said[] {
  const turns: Said[] = []
  for (const message of messages) {
    const before = turns.at(-1)
    if (before?.role !== message.role) turns.push(message)
    else
      turns[turns.length - 1] = {
        role: message.role,
        parts:
          message.role === 'user'
            ? oneText([before, message])
            : [...before.parts, { type: 'step-start' }, ...message.parts],
      }
  }
  return turns
}

function oneText(messages: readonly Said[]): ChatMessage['parts'] {
  const text = messages
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n\n')
  return [{ type: 'text', text }]
}
