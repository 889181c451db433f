/**
 * Takes Markdown apart between its blocks, so that of an answer that grows only the last piece is read anew. Joined again, the pieces
 * are the text. A text with definitions, which count for all of it, stays whole.
 */
export function splitBlocks(text: string): string[] {
  if (/^ {0,3}\[[^\]\n]+\]:/m.test(text)) return [text]
  const blocks: string[] = []
  let block = ''
  let fence: string | undefined
  let wasBlank = false
  for (const line of text.split(/(?<=\n)/)) {
    const isBlank = line.trim() === ''
    if (fence === undefined && wasBlank && !isBlank && mayBegin(line, block)) {
      blocks.push(block)
      block = ''
    }
    fence = fenceAfter(line, fence)
    block += line
    wasBlank = isBlank
  }
  if (block !== '') blocks.push(block)
  return blocks
}

const listMark = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:\s|$)/

/** Whether a line after an empty one begins a block: it does not where it goes on with a list. */
function mayBegin(line: string, before: string): boolean {
  if (before.trim() === '') return false
  if (/^(?:\t| {2,})/.test(line)) return false
  return !(listMark.test(line) && listMark.test(before.trimStart()))
}

/** The fence of the code that is open after a line, if any. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, mark, rest = ''] = /^\s*(`{3,}|~{3,})(.*)/.exec(line) ?? []
  if (mark === undefined) return open
  if (open === undefined) return mark.startsWith('`') && rest.includes('`') ? undefined : mark
  return mark[0] === open[0] && mark.length >= open.length && rest.trim() === '' ? undefined : open
}
