import { HighlightStyle, indentService, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import type { StringStream } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'
import { isCadenceKeyword } from '../../kit/cadence-tokens.ts'

interface Place {
  /** How many comments are open: they lie within each other. */
  comments: number
}

const language = StreamLanguage.define<Place>({
  name: 'cadence',
  startState: () => ({ comments: 0 }),
  copyState: ({ comments }) => ({ comments }),
  token: (stream, place) => {
    if (place.comments > 0 || stream.match('/*', false)) return readComment(stream, place)
    if (stream.eatSpace()) return null
    if (stream.match('//')) {
      stream.skipToEnd()
      return 'comment'
    }
    if (stream.match(/^"(?:\\.|[^"\\])*"?/)) return 'string'
    if (stream.match(/^0x[0-9a-fA-F_]+\b/)) return 'literal'
    if (stream.match(/^\d[\d_]*(?:\.\d[\d_]*)?/)) return 'number'
    if (stream.match(/^[#@&]?[A-Za-z_]\w*/)) return wordKind(stream)
    stream.next()
    return null
  },
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', '"'] },
    indentOnInput: /^\s*[}\])]$/,
  },
})

function readComment(stream: StringStream, place: Place): string {
  while (!stream.eol()) {
    if (stream.match('/*')) place.comments++
    else if (stream.match('*/')) place.comments--
    else stream.next()
    if (place.comments === 0) break
  }
  return 'comment'
}

function wordKind(stream: StringStream): string | null {
  const word = stream.current().replace(/^[@&]/, '')
  if (word.startsWith('#') || isCadenceKeyword(word)) return 'keyword'
  if (/^[A-Z]/.test(word)) return 'typeName'
  return stream.match(/^\s*[(<]/, false) ? 'variableName.function' : null
}

/** The colours of the explorer's code, which are variables of the page: they reach into the shadow, and change with the theme. */
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'light-dark(#8a2a8f, #d79be0)' },
  { tag: tags.typeName, color: 'var(--busy)' },
  { tag: tags.string, color: 'var(--leaf)' },
  { tag: [tags.number, tags.literal], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.function(tags.variableName), color: 'light-dark(#00626e, #6fd0dc)' },
])

/** As deep as the line before, one step more after an opening bracket and one less before a closing one. */
const indentation = indentService.of((context, at) => {
  const { text: after } = context.lineAt(at, 1)
  const { number } = context.state.doc.lineAt(at)
  const isBroken = context.simulatedBreak === at
  const line = isBroken
    ? context.lineAt(at, -1)
    : number > 1
      ? context.lineAt(context.state.doc.line(number - 1).from, -1)
      : undefined
  if (line === undefined) return 0
  const opens = /[{([]\s*(?:\/\/.*)?$/.test(line.text)
  return Math.max(
    0,
    context.lineIndent(line.from, -1) + (opens ? context.unit : 0) - (/^\s*[}\])]/.test(after) ? context.unit : 0),
  )
})

/** Cadence with its colours, comments and indentation. */
export const cadence: Extension = [language, indentation, syntaxHighlighting(colours)]
