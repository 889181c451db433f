import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import type { Diagnostic } from '@codemirror/lint'
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import type { Extension, TransactionSpec } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  tooltips,
} from '@codemirror/view'
import { withFile } from '../project/file-tree.ts'
import { isImported } from '../project/project-state.ts'
import type { ProjectStore } from '../project/project-state.ts'
import { cadence, editorLook } from './editor-theme.ts'
import { offsetOf } from './problems.ts'

export interface CodeEditorOptions {
  readonly store: ProjectStore
  readonly importedCode: (path: string) => string | undefined
  readonly onRun: () => void
  readonly onSave: () => void
  readonly onCursor: (line: number, column: number) => void
  readonly onEdit: () => void
}

/**
 * One view for the active file, and a state with undo history for each other file. Synchronized
 * with the project in both directions.
 */
export class CodeEditor {
  readonly #options: CodeEditorOptions
  readonly #states = new Map<string, EditorState>()
  readonly #plugin = new Compartment()
  readonly #reading = new Compartment()
  readonly #stopListening: () => void
  #view: EditorView | undefined
  #shownPath: string | undefined
  #pluginOf: (path: string) => Extension = () => []
  #marksOf: (path: string, state: EditorState) => readonly Diagnostic[] = () => []
  #isTyping = false

  constructor(options: CodeEditorOptions) {
    this.#options = options
    this.#stopListening = options.store.subscribe(() => this.#follow())
  }

  get view(): EditorView | undefined {
    return this.#view
  }

  get shownPath(): string | undefined {
    return this.#shownPath
  }

  /**
   * Shadow root with constructed style sheets: the Content-Security-Policy blocks style elements.
   * @returns unmounts it
   */
  mount(place: HTMLElement): () => void {
    const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' })
    this.#view = new EditorView({ root, parent: root, state: EditorState.create() })
    this.#shownPath = undefined
    this.#follow()
    return () => {
      this.#leave()
      this.#view?.destroy()
      this.#view = undefined
      this.#shownPath = undefined
    }
  }

  close(): void {
    this.#stopListening()
    this.#view?.destroy()
    this.#view = undefined
  }

  setPlugin(pluginOf: (path: string) => Extension): void {
    this.#pluginOf = pluginOf
    if (this.#shownPath !== undefined)
      this.#view?.dispatch({ effects: this.#plugin.reconfigure(pluginOf(this.#shownPath)) })
  }

  setMarks(marksOf: (path: string, state: EditorState) => readonly Diagnostic[]): void {
    this.#marksOf = marksOf
  }

  mark(diagnostics: readonly Diagnostic[]): void {
    const view = this.#view
    if (view !== undefined) view.dispatch(setDiagnostics(view.state, diagnostics))
  }

  change(path: string, spec: TransactionSpec): void {
    const state = this.#stateOf(path).update(spec).state
    this.#states.set(path, state)
    this.#options.store.change((project) => withFile(project, path, state.doc.toString()))
  }

  /** Both count from 1. */
  goTo(line: number, column: number): void {
    const view = this.#view
    if (view === undefined) return
    const at = offsetOf(view.state.doc, { line: line - 1, character: column - 1 })
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
    view.focus()
  }

  find(): void {
    if (this.#view !== undefined) openSearchPanel(this.#view)
  }

  #textOf(path: string): string | undefined {
    return isImported(path) ? this.#options.importedCode(path) : this.#options.store.state.files.get(path)
  }

  #follow(): void {
    const { active, files } = this.#options.store.state
    for (const path of this.#states.keys()) if (!isImported(path) && !files.has(path)) this.#states.delete(path)
    const view = this.#view
    if (this.#isTyping || view === undefined) return
    const path = active !== undefined && this.#textOf(active) !== undefined ? active : undefined
    if (path !== this.#shownPath) {
      this.#leave()
      this.#shownPath = path
      view.setState(path === undefined ? EditorState.create() : this.#arrive(path))
      if (path !== undefined) this.#reportCursor(view.state)
      return
    }
    if (path === undefined) return
    const text = this.#textOf(path) ?? ''
    if (text !== view.state.doc.toString()) view.dispatch(replacing(view.state, text))
    if (this.#isReading(path) !== view.state.readOnly)
      view.dispatch({ effects: this.#reading.reconfigure(EditorState.readOnly.of(this.#isReading(path))) })
  }

  #leave(): void {
    if (this.#shownPath !== undefined && this.#view !== undefined) this.#states.set(this.#shownPath, this.#view.state)
  }

  #arrive(path: string): EditorState {
    let state = this.#stateOf(path)
    state = state.update({
      effects: [
        this.#plugin.reconfigure(this.#pluginOf(path)),
        this.#reading.reconfigure(EditorState.readOnly.of(this.#isReading(path))),
      ],
    }).state
    return state.update(setDiagnostics(state, this.#marksOf(path, state))).state
  }

  #isReading(path: string): boolean {
    return isImported(path) || this.#options.store.state.isReadOnly
  }

  #stateOf(path: string): EditorState {
    const text = this.#textOf(path) ?? ''
    const stored = this.#states.get(path)
    if (stored === undefined) return EditorState.create({ doc: text, extensions: this.#extensions(path) })
    return stored.doc.toString() === text ? stored : stored.update({ ...replacing(stored, text), filter: false }).state
  }

  #extensions(path: string): Extension {
    const { onRun, onSave, onEdit, store } = this.#options
    return [
      lineNumbers(),
      foldGutter(),
      lintGutter(),
      history(),
      drawSelection(),
      highlightSpecialChars(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      bracketMatching(),
      closeBrackets(),
      indentOnInput(),
      indentUnit.of('    '),
      EditorState.tabSize.of(4),
      EditorState.lineSeparator.of('\n'),
      EditorView.lineWrapping,
      tooltips({ position: 'fixed' }),
      search({ top: true }),
      highlightSelectionMatches(),
      editorLook,
      ...(path.endsWith('.cdc') ? [cadence] : []),
      this.#reading.of(EditorState.readOnly.of(this.#isReading(path))),
      this.#plugin.of([]),
      Prec.highest(
        keymap.of([
          { key: 'Mod-Enter', run: () => (onRun(), true) },
          { key: 'Mod-s', run: () => (onSave(), true), preventDefault: true },
        ]),
      ),
      keymap.of([
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...historyKeymap,
        ...searchKeymap,
        ...foldKeymap,
        ...lintKeymap,
        indentWithTab,
      ]),
      EditorView.contentAttributes.of(({ state }) => ({
        'aria-label': `${path}${state.readOnly ? ', read only' : ''}. Press Escape, then Tab to leave the editor.`,
        spellcheck: 'false',
        autocapitalize: 'off',
        autocorrect: 'off',
        tabindex: '0',
      })),
      EditorView.updateListener.of((update) => {
        if (update.selectionSet || update.docChanged) this.#reportCursor(update.state)
        if (!update.docChanged || this.#shownPath !== path || this.#isReading(path)) return
        this.#isTyping = true
        try {
          store.change((project) => withFile(project, path, update.state.doc.toString()))
        } finally {
          this.#isTyping = false
        }
        onEdit()
      }),
    ]
  }

  #reportCursor({ doc, selection }: EditorState): void {
    const line = doc.lineAt(selection.main.head)
    this.#options.onCursor(line.number, selection.main.head - line.from + 1)
  }
}

function replacing(
  { doc }: EditorState,
  text: string,
): { readonly changes: { readonly from: number; readonly to: number; readonly insert: string } } {
  const before = doc.toString()
  const shorter = Math.min(before.length, text.length)
  let from = 0
  while (from < shorter && before[from] === text[from]) from++
  let same = 0
  while (same < shorter - from && before[before.length - 1 - same] === text[text.length - 1 - same]) same++
  return { changes: { from, to: before.length - same, insert: text.slice(from, text.length - same) } }
}
