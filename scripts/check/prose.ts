import { extname } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** Text for readers: a comment, a message, a label or a paragraph of a page. */
export interface Passage {
  readonly line: number
  readonly text: string
}

export interface ProseFinding {
  readonly line: number
  readonly rule: string
  readonly excerpt: string
}

interface Rule {
  readonly name: string
  readonly pattern: RegExp
}

const sentenceStart = '(?:^|[.:;!?]\\s+)'

/** Rules of style that a program can check. Rewording a false match is cheaper than an exception. */
const rules: readonly Rule[] = acrossLines([
  {
    name: 'a clause as the subject: use a noun',
    pattern: new RegExp(`${sentenceStart}(?:What|Who|Whoever|Whatever|Whichever) [a-z][^.?!]*(?=[.!]|$)`, 'g'),
  },
  {
    name: 'a clause as the object: use a noun',
    pattern: /\b(?:with|of|from|by|for|to|and|or|than|like) what (?:is|are|was|were|it|they|comes?|came|stands?)\b/g,
  },
  {
    name: 'a sentence that begins with "Of": begin with the subject',
    pattern: new RegExp(
      `${sentenceStart}Of (?:an?|the|each|every|what|those|these|all|such|this|that|it|them)\\b`,
      'g',
    ),
  },
  {
    name: 'machines do not tell: return, report, log',
    pattern:
      /\b(?:(?:is|are|was|were|be|been|being|not) told|tells? (?:of|what|how|whether|that)|told (?:by|of|in))\b/gi,
  },
  {
    name: 'machines do not want or mend: require, retry, repair',
    pattern: /\b(?:(?:is|are|was|were) wanted|mend(?:s|ed|ing)?)\b/gi,
  },
  {
    name: 'name the role: user, operator, client, caller',
    pattern: /\b(?:nobody|somebody|whoever|anybody|strangers?)\b/gi,
  },
  { name: 'use "not" or "without"', pattern: /\b(?:is|are|was|were) (?:none|no)\b(?! longer| more| less| way| need)/g },
  {
    name: 'use "all" or a noun',
    pattern: /\ball that (?:is|are|was|it|they|there)\b|\bthat there (?:is|are|was|were)\b/gi,
  },
  {
    name: 'use a plain adverb: recently, permanently, at once, at least',
    pattern: /\b(?:of late|for good|by turns|in one go|as good as|at the least|anew)\b/gi,
  },
  {
    name: 'use a modern word: zero, until now, of which',
    pattern: /\b(?:naught|nought|hitherto|whereof|thereof)\b/gi,
  },
  {
    name: 'use continue, resume, leave, be missing',
    pattern: /\b(?:go|goes|going|went) on\b(?! to\b)|\b(?:is|are) gone\b/gi,
  },
  { name: 'use "unchanged"', pattern: /\bas (?:it|they) (?:is|are|was|were|comes?|came|stands?|stood)\b/gi },
  { name: 'use a possessive: ours, its own', pattern: /\bone's own\b|\bof (?:one's|ours)\b/gi },
  { name: 'use cached, stored, retained', pattern: /\b(?:is|are|was|were) kept\b/gi },
])

/** A space in a pattern also matches the end of a line. */
function acrossLines(singleLine: readonly Rule[]): Rule[] {
  return singleLine.map(({ name, pattern }) => ({
    name,
    pattern: new RegExp(pattern.source.replaceAll(' ', '\\s+'), pattern.flags),
  }))
}

/** Words of the code that the glossary replaces. */
const retiredNames = new RegExp(
  `\\b(?:${[
    '(?:most|least)[A-Z]\\w*',
    'NowAndThen',
    'hasLeftEarly',
    'leftEarly',
    'shownKey',
    'StretchRun',
    'HistoryGather',
    'BodyRoom',
    'CodeRoom',
    'RunRoom',
    'isOfPeople',
    'whenReadable',
    'setDeaf',
    'sayName',
  ].join('|')})\\b`,
  'g',
)

/** @param file decides how the text is read: Markdown, SQL, Python, shell or TypeScript */
export function proseFindings(file: string, source: string): ProseFinding[] {
  const found = passagesOf(file, source).flatMap(({ line, text }) =>
    rules.flatMap(({ name, pattern }) =>
      [...text.matchAll(pattern)].map((match) => ({
        line: line + countLines(text.slice(0, match.index)),
        rule: name,
        excerpt: text
          .slice(Math.max(0, match.index - 30), match.index + 70)
          .replaceAll(/\s+/g, ' ')
          .trim(),
      })),
    ),
  )
  if (!isCode(file)) return found
  const names = [...source.matchAll(retiredNames)].map((match) => ({
    line: 1 + countLines(source.slice(0, match.index)),
    rule: 'a name that the glossary replaces',
    excerpt: match[0],
  }))
  return [...found, ...names]
}

function passagesOf(file: string, source: string): Passage[] {
  if (isCode(file)) return passagesOfCode(file, source)
  if (extname(file) === '.md') return [{ line: 1, text: withoutCode(source) }]
  if (!file.endsWith('.sql')) return linesWith(/^\s*#+\s?(.*)$/, source)
  const strings = source.matchAll(/'((?:[^']|'')* (?:[^']|'')*)'/g)
  return [
    ...linesWith(/^\s*--\s?(.*)$/, source),
    ...[...strings].map(({ 1: text = '', index }) => ({ line: 1 + countLines(source.slice(0, index)), text })),
  ]
}

function isCode(file: string): boolean {
  return /\.(?:tsx?|mjs)$/.test(file)
}

/** Comments, texts between tags, and strings of several words. Line comments that follow each other are one passage. */
function passagesOfCode(file: string, source: string): Passage[] {
  const { program, comments } = parseSync(file, source)
  const lineAt = lineFinder(source)
  const passages: Passage[] = []
  let previousEnd = -1
  for (const comment of comments) {
    const text = comment.value.replaceAll(/^[ \t]*\* ?/gm, '').replaceAll(/`[^`]*`/g, 'code')
    const last = passages.at(-1)
    if (comment.type === 'Line' && last !== undefined && source.slice(previousEnd, comment.start).trim() === '') {
      passages[passages.length - 1] = { line: last.line, text: `${last.text}\n${text.trim()}` }
    } else passages.push({ line: lineAt(comment.start), text: text.trim() })
    previousEnd = comment.end
  }
  visit(program, (node) => {
    const text = textOf(node)
    if (text !== undefined && /\w+ \w+ \w+/.test(text)) passages.push({ line: lineAt(node.start), text })
  })
  return passages
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly value?: unknown
  readonly quasis?: readonly { readonly value: { readonly cooked?: string | null } }[]
}

function textOf(node: SyntaxNode): string | undefined {
  if ((node.type === 'Literal' || node.type === 'JSXText') && typeof node.value === 'string') return node.value.trim()
  if (node.type === 'TemplateLiteral')
    return node.quasis
      ?.map(({ value }) => value.cooked ?? '')
      .join('x')
      .trim()
  return undefined
}

function visit(value: unknown, onNode: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, onNode)
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value && 'start' in value) onNode(value as SyntaxNode)
    for (const child of Object.values(value)) visit(child, onNode)
  }
}

function withoutCode(markdown: string): string {
  return markdown
    .replaceAll(/```[\s\S]*?```/g, (block) => '\n'.repeat(countLines(block)))
    .replaceAll(/`[^`\n]*`/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
}

function linesWith(pattern: RegExp, source: string): Passage[] {
  return source.split('\n').flatMap((line, index) => {
    const text = pattern.exec(line)?.[1]
    return text === undefined ? [] : [{ line: index + 1, text }]
  })
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}

function lineFinder(source: string): (offset: number) => number {
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
