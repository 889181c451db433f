import { EditorView } from '@codemirror/view'
import { HighlightStyle, indentService, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import type { StringStream } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'
import { isCadenceKeyword } from '../../kit/code-tokens.ts'

/** CSS variables of the page work inside the shadow root. */
export const editorLook = EditorView.theme({
  '&': { color: 'var(--ink)', height: '100%', fontSize: 'var(--code-size, .8125rem)', background: 'var(--panel)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '.75rem 0 40vh', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 1rem 0 .5rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-gutters': { color: 'var(--soft)', background: 'var(--panel)', border: '0', paddingLeft: '.25rem' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--well) 55%, transparent)' },
  '.cm-activeLineGutter': { background: 'none', color: 'var(--ink)' },
  '.cm-foldGutter .cm-gutterElement': { color: 'var(--soft)', cursor: 'pointer', padding: '0 .25rem' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'var(--busy-wash)',
  },
  '.cm-selectionMatch': { background: 'var(--leaf-wash)' },
  '.cm-searchMatch': { background: 'var(--warn-wash)', outline: '1px solid var(--warn-fill)' },
  '.cm-searchMatch-selected': { background: 'var(--warn-fill)', color: 'var(--on-strong)' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--well)', outline: '1px solid var(--line-strong)' },
  '.cm-foldPlaceholder': { color: 'var(--soft)', background: 'var(--well)', border: '0', padding: '0 .35rem' },

  '.cm-tooltip': {
    zIndex: '25',
    maxWidth: 'min(36rem, 92vw)',
    color: 'var(--ink)',
    background: 'var(--raised)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
    boxShadow: '0 8px 30px var(--shade)',
    overflow: 'hidden',
  },
  '.cm-tooltip-hover, .cm-lsp-signature-tooltip': { maxHeight: '18rem', overflow: 'auto' },
  '.cm-tooltip .cm-lsp-documentation': {
    padding: '.4rem .75rem',
    fontFamily: 'var(--sans)',
    lineHeight: '1.5',
    overflowWrap: 'anywhere',
  },
  '.cm-tooltip .cm-lsp-documentation pre, .cm-tooltip .cm-lsp-documentation code': {
    fontFamily: 'var(--mono)',
    fontSize: '.95em',
    whiteSpace: 'pre-wrap',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16rem' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '.2rem .6rem', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { color: 'var(--on-strong)', background: 'var(--strong)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal' },
  '.cm-completionIcon': { color: 'inherit', opacity: '.7' },
  '.cm-tooltip.cm-completionInfo': { padding: '0' },

  '.cm-diagnostic': {
    padding: '.4rem .75rem',
    fontFamily: 'var(--sans)',
    lineHeight: '1.45',
    borderLeft: '3px solid',
    whiteSpace: 'pre-wrap',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad-fill)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn-fill)' },
  '.cm-diagnostic-info, .cm-diagnostic-hint': { borderLeftColor: 'var(--busy-fill)' },
  '.cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-info, .cm-lintRange-hint': {
    backgroundImage: 'none',
    paddingBottom: '0',
    textDecoration: 'underline wavy 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-error': { textDecorationColor: 'var(--bad-fill)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--warn-fill)' },
  '.cm-lintRange-info, .cm-lintRange-hint': { textDecorationColor: 'var(--busy-fill)' },
  // The Content-Security-Policy blocks SVG images with styles.
  '.cm-lint-marker': { width: '.6rem', height: '.6rem', margin: '.5em auto 0', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: '""', background: 'var(--bad-fill)' },
  '.cm-lint-marker-warning': { content: '""', background: 'var(--warn-fill)' },
  '.cm-lint-marker-info, .cm-lint-marker-hint': { content: '""', background: 'var(--busy-fill)' },
  '.cm-lintRange-active': { background: 'var(--bad-wash)' },

  '.cm-panels': { color: 'var(--ink)', background: 'var(--raised)', fontFamily: 'var(--sans)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel': { padding: '.5rem .75rem' },
  '.cm-panel input': {
    font: 'inherit',
    padding: '.25rem .5rem',
    color: 'var(--ink)',
    background: 'var(--panel)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
  },
  '.cm-panel button': {
    font: 'inherit',
    padding: '.25rem .6rem',
    color: 'var(--ink)',
    background: 'var(--panel)',
    backgroundImage: 'none',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
    cursor: 'pointer',
  },
  '.cm-panel button:hover': { background: 'var(--hover)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '.4rem',
    padding: '.5rem 2.5rem .5rem .75rem',
    fontSize: '.8125rem',
  },
  '.cm-panel.cm-search br': { flexBasis: '100%', height: '0' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '.3rem',
    margin: '0',
    fontSize: 'inherit',
    color: 'var(--soft)',
  },
  '.cm-panel.cm-search .cm-textfield': { width: '14rem', maxWidth: '100%', margin: '0' },
  '.cm-panel.cm-search .cm-button': { margin: '0' },
  '.cm-panel.cm-search [name=close]': {
    top: '.4rem',
    right: '.5rem',
    padding: '0',
    width: '1.75rem',
    height: '1.75rem',
    fontSize: '1.1rem',
    lineHeight: '1',
    background: 'none',
    border: '0',
  },
})

interface Place {
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

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'light-dark(#8a2a8f, #d79be0)' },
  { tag: tags.typeName, color: 'var(--busy)' },
  { tag: tags.string, color: 'var(--leaf)' },
  { tag: [tags.number, tags.literal], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.function(tags.variableName), color: 'light-dark(#00626e, #6fd0dc)' },
])

/**
 * Indentation of the previous line, one step more after an opening bracket, one less before a
 * closing one.
 */
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

export const cadence: Extension = [language, indentation, syntaxHighlighting(colours)]
