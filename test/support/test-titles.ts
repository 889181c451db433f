import { tokensOf } from './tokens.ts'

/** The full titles of the tests in a source, as mocha prints them, without computed ones. */
export function testTitles(source: string): string[] {
  const tokens = tokensOf(source)
  const titles: string[] = []
  /** The open `describe` calls, with the parenthesis depth at which each began. */
  const open: { title: string; depth: number }[] = []
  let depth = 0
  for (const [i, token] of tokens.entries()) {
    if (token.kind === 'mark' && token.text === '(') depth++
    if (token.kind === 'mark' && token.text === ')') depth--
    if (open.at(-1)?.depth === depth && token.text === ')') open.pop()
    const title = tokens[i + 2]
    if (token.kind !== 'word' || tokens[i + 1]?.text !== '(' || title === undefined) continue
    if (token.text === 'describe') open.push({ title: title.text, depth })
    if (token.text !== 'it' || title.kind !== 'string') continue
    titles.push([...open.map((one) => one.title), title.text].join(' '))
  }
  return titles
}
