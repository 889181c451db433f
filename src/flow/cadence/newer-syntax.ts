import { endOfComment } from '../code/script-tokens.ts'

/**
 * String templates (`"\(name)"`) and aliased imports (`import A as B from 0x1`). Keeps lines and
 * byte offsets.
 */
export function hideNewerSyntax(code: string): string {
  return hideAliases(hideTemplates(code))
}

/** Keeps the byte length and line ends. */
function blank(text: string, filler: string): string {
  return text
    .split('\n')
    .map((line) => filler.repeat(Buffer.byteLength(line)))
    .join('\n')
}

function hideAliases(code: string): string {
  return code.replaceAll(/\bimport\s[\w\s,]*?\sfrom\b/g, (declaration) =>
    declaration.replaceAll(/\b\w+\s+as\s+(?=\w)/g, (old) => blank(old, ' ')),
  )
}

const opening = /\/\/[^\n]*|\/\*|"/g
const stringMark = /\\\(|\\[^]|"/g

function hideTemplates(code: string): string {
  const parts: string[] = []
  let done = 0
  opening.lastIndex = 0
  for (let match = opening.exec(code); match !== null; match = opening.exec(code)) {
    if (match[0] === '/*') opening.lastIndex = endOfComment(code, opening.lastIndex)
    if (match[0] !== '"') continue
    let at = opening.lastIndex
    for (let inside = nextMark(code, at); inside !== undefined; inside = nextMark(code, at)) {
      at = inside.end
      if (inside.text === '"') break
      if (inside.text !== '\\(') continue
      const end = endOfTemplate(code, at)
      parts.push(code.slice(done, inside.end - 2), blank(code.slice(inside.end - 2, end), '_'))
      done = end
      at = end
    }
    opening.lastIndex = at
  }
  return parts.length === 0 ? code : parts.join('') + code.slice(done)
}

function nextMark(code: string, from: number): { readonly text: string; readonly end: number } | undefined {
  stringMark.lastIndex = from
  const match = stringMark.exec(code)
  return match === null ? undefined : { text: match[0], end: stringMark.lastIndex }
}

function endOfTemplate(code: string, from: number): number {
  let depth = 1
  let isText = false
  for (let at = from; at < code.length; at++) {
    const character = code[at]
    if (character === '\n') return at
    if (character === '"') isText = !isText
    if (isText) continue
    if (character === '(') depth++
    if (character === ')' && --depth === 0) return at + 1
  }
  return code.length
}
