import { shownText } from '../../kit/cell-text.ts'

const longestTitle = 60

/** The title of a conversation: its first question in one line, cut between words. */
export function threadTitle(question: string): string {
  const line = shownText(question.trim().replaceAll(/\s+/g, ' '))
  if (line === '') return 'New chat'
  const characters = Array.from(line)
  if (characters.length <= longestTitle) return line
  const cut = characters.slice(0, longestTitle - 1).join('')
  const space = cut.lastIndexOf(' ')
  return `${(space > longestTitle / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.]+$/, '')}…`
}
