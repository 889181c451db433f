import { readCadenceTokens } from '../../kit/code-tokens.ts'

const unit = '    '

interface OpenBracket {
  /** Indentation of its line, in units. */
  readonly level: number
  /** A switch, after its first case. */
  hasCase: boolean
}

const endsOpen = /(?:=|<-!?|\?\?|\|\||&&|[-+*/|&:])$/
const startsOpen = /^(?:\.|\?\.|\?\?|\|\||&&)/
const caseLabel = /^(?:case\b.*|default\s*):/
/** Stands for a character of a string. */
const filler = '"'

/**
 * Indents lines by brackets, cases and operators at their ends. Changes only spaces before lines;
 * lines that start within a comment stay.
 */
export function indentCode(code: string): string {
  const open: OpenBracket[] = []
  let isContinued = false
  return codeLines(code)
    .map(({ line, isInComment, plain }) => {
      const words = plain.trim()
      const closing = /^[}\])]*/.exec(words)?.[0].length ?? 0
      const inner = open.at(-1)
      const isLabel = caseLabel.test(words)
      if (isLabel && inner !== undefined) inner.hasCase = true
      const level =
        closing > 0
          ? (open.at(-closing)?.level ?? 0)
          : (inner === undefined ? 0 : inner.level + 1) +
            (inner?.hasCase === true && !isLabel ? 1 : 0) +
            (isContinued || startsOpen.test(words) ? 1 : 0)
      for (const character of words) {
        if ('{[('.includes(character)) open.push({ level, hasCase: false })
        else if ('}])'.includes(character)) open.pop()
      }
      if (words !== '') isContinued = endsOpen.test(words) && !(isLabel && words.endsWith(':'))
      const text = line.trimStart()
      return isInComment ? line : text === '' ? '' : unit.repeat(level) + text
    })
    .join('\n')
}

interface CodeLine {
  readonly line: string
  /** At its start. */
  readonly isInComment: boolean
  /** Without comments; strings are replaced. */
  readonly plain: string
}

function codeLines(code: string): readonly CodeLine[] {
  let plain = ''
  for (const { kind, text } of readCadenceTokens(code))
    plain +=
      kind === 'comment'
        ? text.replaceAll(/[^\n]/g, ' ').replaceAll('\n', commentBreak)
        : kind === 'text'
          ? filler.repeat(text.length)
          : text
  const plainLines = plain.split(/\n|\0/)
  let at = 0
  return code.split('\n').map((line, number) => {
    const isInComment = at > 0 && plain[at - 1] === commentBreak
    at += line.length + 1
    return { line, isInComment, plain: plainLines[number] ?? '' }
  })
}

/** A line break in a comment. */
const commentBreak = '\0'
