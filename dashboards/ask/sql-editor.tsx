import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { PostgreSQL, sql } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, Prec } from '@codemirror/state'
import { EditorView, drawSelection, highlightSpecialChars, keymap, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export interface SqlEditorProps {
  readonly label: string
  readonly value: string
  readonly onChange: (sql: string) => void
  readonly onRun: () => void
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--busy)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--leaf)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.comment], color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--busy)' },
])

const looks = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: 'var(--code-size, .8125rem)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '1.6',
    minHeight: '9rem',
    maxHeight: '24rem',
    overflow: 'auto',
  },
  '.cm-content': { padding: '.75rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 1rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-placeholder': { color: 'var(--soft)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'var(--busy-wash)',
  },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--well)', outline: '1px solid var(--line-strong)' },
})

/**
 * Tab leaves the editor, for keyboard users. Shadow root with constructed style sheets: the
 * Content-Security-Policy blocks style elements.
 */
export function SqlEditor({ label, value, onChange, onRun }: SqlEditorProps): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const callbacks = useRef({ onChange, onRun })
  const first = useRef(value)
  useEffect(() => {
    callbacks.current = { onChange, onRun }
  })
  useEffect(() => {
    if (place.current === null) return
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          history(),
          drawSelection(),
          highlightSpecialChars(),
          bracketMatching(),
          EditorView.lineWrapping,
          looks,
          syntaxHighlighting(colours),
          sql({ dialect: PostgreSQL, upperCaseKeywords: true }),
          placeholder('SELECT …'),
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => (callbacks.current.onRun(), true) }])),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({
            'aria-label': label,
            spellcheck: 'false',
            autocapitalize: 'off',
            autocorrect: 'off',
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) callbacks.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => {
      first.current = editor.state.doc.toString()
      editor.destroy()
    }
  }, [label])
  useEffect(() => {
    const editor = view.current
    if (editor === undefined || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  return <div ref={place} className="sql-editor" />
}
