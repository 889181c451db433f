import { useEffect, useImperativeHandle, useRef } from 'react'
import type { ReactNode, RefObject } from 'react'
import { autocompletion } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { PostgreSQL, sql } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import { EditorView, drawSelection, highlightSpecialChars, keymap, placeholder } from '@codemirror/view'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'
import { namespaceOf, sqlCompletions } from './completion.ts'
import type { Schema } from './completion.ts'

export interface SqlEditorProps {
  readonly label: string
  readonly value: string
  /** For completion. */
  readonly schema: Schema | undefined
  readonly handle: RefObject<SqlEditorHandle | null>
  readonly onChange: (sql: string) => void
  readonly onRun: () => void
}

export interface SqlEditorHandle {
  /** At the cursor, in place of the selection. */
  readonly insert: (text: string) => void
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
  '.cm-tooltip': {
    color: 'var(--ink)',
    background: 'var(--raised)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
    boxShadow: '0 8px 30px var(--shade)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '22rem', padding: '.4rem .6rem', fontFamily: 'var(--sans)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16rem' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '.2rem .6rem', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { color: 'var(--on-strong)', background: 'var(--strong)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--well)', outline: '1px solid var(--line-strong)' },
})

/**
 * Tab leaves the editor, for keyboard users. Shadow root with constructed style sheets: the
 * Content-Security-Policy blocks style elements.
 */
export function SqlEditor({ label, value, schema, handle, onChange, onRun }: SqlEditorProps): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const callbacks = useRef({ onChange, onRun })
  const first = useRef(value)
  /** Typed texts that have not come back as the value: later ones may follow before a rendering. */
  const sent = useRef<string[]>([])
  const language = useRef(new Compartment())
  const firstSchema = useRef(schema)
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
          autocompletion({ icons: false, maxRenderedOptions: 50 }),
          language.current.of(sqlWith(firstSchema.current)),
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
            if (!update.docChanged) return
            const text = update.state.doc.toString()
            sent.current.push(text)
            callbacks.current.onChange(text)
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
    const at = sent.current.lastIndexOf(value)
    sent.current = sent.current.slice(at + 1)
    if (at >= 0) return
    if (editor === undefined || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    firstSchema.current = schema
    view.current?.dispatch({ effects: language.current.reconfigure(sqlWith(schema)) })
  }, [schema])
  useImperativeHandle(handle, () => ({ insert: (text) => insert(view.current, text) }), [])
  return <div ref={place} className="sql-editor" />
}

function sqlWith(schema: Schema | undefined): Extension {
  const language = sql({
    dialect: PostgreSQL,
    upperCaseKeywords: true,
    ...(schema === undefined ? {} : { schema: namespaceOf(schema.data) }),
  })
  return schema === undefined
    ? language
    : [language, PostgreSQL.language.data.of({ autocomplete: sqlCompletions(schema) })]
}

/** A table becomes a statement in an empty editor. */
function insert(editor: EditorView | undefined, text: string): void {
  if (editor === undefined) return
  const { state } = editor
  const { from, to } = state.selection.main
  const isEmpty = state.doc.toString().trim() === ''
  const [before, after] = [state.sliceDoc(Math.max(0, from - 1), from), state.sliceDoc(to, to + 1)]
  const inserted =
    isEmpty && text.includes('.')
      ? `SELECT *\nFROM ${text}\nLIMIT 100`
      : `${/[\w"]/.test(before) ? ' ' : ''}${text}${/[\w"]/.test(after) ? ' ' : ''}`
  const start = isEmpty ? 0 : from
  editor.dispatch({
    changes: { from: start, to: isEmpty ? state.doc.length : to, insert: inserted },
    selection: { anchor: start + inserted.length },
    scrollIntoView: true,
  })
  editor.focus()
}
