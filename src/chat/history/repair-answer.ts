import type { ChatMessage } from '../chat-message.ts'
import { historyLimits } from './history-limits.ts'
import { isJsonObject } from './plain-json.ts'
import { repairToolPart } from './repair-tool-part.ts'

export type MessageParts = ChatMessage['parts']

/** The shortest that results of tools are cut to. */
const leastOutputCharacters = 500

/**
 * The parts of an earlier answer as they may go to a model again: texts and calls of tools, and nothing else.
 *
 * What the model thought is left out: providers want it back within a turn only, while tools run, and a request here always begins a
 * new one (Anthropic drops what older turns thought, and refuses what is not as it wrote it). So are sources, files, parts that only
 * the page shows, and what providers add for themselves, by which a client could have them look things up.
 */
export function repairAnswer(parts: readonly unknown[]): MessageParts {
  const repair = (outputCharacters: number): MessageParts =>
    inSteps(parts.flatMap((part) => repairPart(part, outputCharacters)))
  const repaired = repair(historyLimits.outputCharacters)
  if (charactersOf(repaired) <= historyLimits.answerCharacters) return repaired
  const calls = repaired.filter(({ type }) => type === 'dynamic-tool').length
  return repair(Math.max(leastOutputCharacters, Math.floor(historyLimits.answerCharacters / 2 / Math.max(1, calls))))
}

/** What parts take of a model's room. */
export function charactersOf(parts: MessageParts): number {
  return JSON.stringify(parts).length
}

function repairPart(part: unknown, outputCharacters: number): MessageParts {
  if (!isJsonObject(part)) return []
  const { type, text } = part
  if (type === 'step-start') return [{ type }]
  // Providers refuse texts that are empty.
  if (type === 'text')
    return typeof text === 'string' && text.trim() !== '' ? [{ type, text: text.toWellFormed() }] : []
  const call = repairToolPart(part, outputCharacters)
  return call === undefined ? [] : [call]
}

/** Marks where steps begin, as the answer itself has them: results of tools come at the end of a step, so that what is said after a call is of the next. */
function inSteps(parts: MessageParts): MessageParts {
  const marked: MessageParts = []
  for (const part of parts) {
    const before = marked.at(-1)?.type
    if (part.type === 'step-start' && (before === 'step-start' || before === undefined)) continue
    if (part.type === 'text' && before === 'dynamic-tool') marked.push({ type: 'step-start' })
    marked.push(part)
  }
  return marked.at(-1)?.type === 'step-start' ? marked.slice(0, -1) : marked
}
