import type { Said } from './fit-history.ts'

/** What all providers take. */
const idPattern = /^[\w-]{1,64}$/

/** The same with an id of its own for each call of a tool, by which providers find its result; those that are well and new stay. */
export function uniqueCallIds(messages: readonly Said[]): readonly Said[] {
  const taken = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part.toolCallId] : []))),
  )
  const seen = new Set<string>()
  let made = 0
  const idOf = (given: string): string => {
    let id = given
    while (!idPattern.test(id) || seen.has(id)) {
      do id = `call_${++made}`
      while (taken.has(id))
    }
    seen.add(id)
    return id
  }
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => (part.type === 'dynamic-tool' ? { ...part, toolCallId: idOf(part.toolCallId) } : part)),
  }))
}
