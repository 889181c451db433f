import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from '@codemirror/commands'
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
import { paneFiles, withFile, withOpen } from '../project/file-tree.ts'
import { isImported } from '../project/project-state.ts'
import type { ProjectStore } from '../project/project-state.ts'
import { cadence, editorLook } from './editor-theme.ts'
import { indentCode } from './indent-code.ts'
import { offsetOf } from './problems.ts'

export interface CodeEditorOptions {
  readonly store: ProjectStore
  readonly importedCode: (path: string) => string | undefined
  readonly onRun: () => void
  readonly onSave: () => void
  readonly onCursor: (line: number, column: number) => void
  readonly onEdit: () => void
}

interface Pane {
  readonly view: EditorView
  path: string | undefined
}

/**
 * A view for the file of each pane, and a state with undo history for each other file.
 * Synchronized with the project in both directions.
 */
export class CodeEditor {
  readonly #options: CodeEditorOptions
  readonly #states = new Map<string, EditorState>()
  readonly #plugin = new Compartment()
  readonly #reading = new Compartment()
  readonly #stopListening: () => void
  readonly #panes: (Pane | undefined)[] = []
  #pluginOf: (path: string) => Extension = () => []
  #marksOf: (path: string, state: EditorState) => readonly Diagnostic[] = () => []
  #isTyping = false

  constructor(options: CodeEditorOptions) {
    this.#options = options
    this.#stopListening = options.store.subscribe(() => this.#follow())
  }

  /** The view of the focused pane. */
  get view(): EditorView | undefined {
    return this.viewOf(this.#options.store.state.active)
  }

  viewOf(path: string | undefined): EditorView | undefined {
    return this.#shown().find((pane) => pane.path === path)?.view
  }

  /**
   * Shadow root with constructed style sheets: the Content-Security-Policy blocks style elements.
   * @param at 0: left, 1: right @returns unmounts it
   */
  mount(place: HTMLElement, at: number): () => void {
    const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' })
    const pane: Pane = { view: new EditorView({ root, parent: root, state: EditorState.create() }), path: undefined }
    const focus = (): void => {
      const { path } = pane
      if (path !== undefined)
        this.#options.store.change((state) => (state.active === path ? state : withOpen(state, path)))
      this.#reportCursor(pane.view.state)
    }
    place.addEventListener('focusin', focus)
    this.#panes[at] = pane
    this.#follow()
    return () => {
      place.removeEventListener('focusin', focus)
      this.#leave(pane)
      pane.view.destroy()
      this.#panes[at] = undefined
    }
  }

  close(): void {
    this.#stopListening()
    for (const { view } of this.#shown()) view.destroy()
    this.#panes.length = 0
  }

  setPlugin(pluginOf: (path: string) => Extension): void {
    this.#pluginOf = pluginOf
    for (const { view, path } of this.#shown())
      if (path !== undefined) view.dispatch({ effects: this.#plugin.reconfigure(pluginOf(path)) })
  }

  setMarks(marksOf: (path: string, state: EditorState) => readonly Diagnostic[]): void {
    this.#marksOf = marksOf
  }

  mark(view: EditorView, diagnostics: readonly Diagnostic[]): void {
    view.dispatch(setDiagnostics(view.state, diagnostics))
  }

  clearMarks(): void {
    for (const { view } of this.#shown()) this.mark(view, [])
  }

  change(path: string, spec: TransactionSpec): void {
    const state = this.#stateOf(path).update(spec).state
    this.#states.set(path, state)
    this.#options.store.change((project) => withFile(project, path, state.doc.toString()))
  }

  /** Both count from 1. */
  goTo(line: number, column: number): void {
    const { view } = this
    if (view === undefined) return
    const at = offsetOf(view.state.doc, { line: line - 1, character: column - 1 })
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
    view.focus()
  }

  find(): void {
    if (this.view !== undefined) openSearchPanel(this.view)
  }

  indent(): void {
    const { view } = this
    if (view === undefined || view.state.readOnly) return
    const changes = replacing(view.state, indentCode(view.state.doc.toString()))
    view.dispatch({ ...changes, annotations: isolateHistory.of('full') })
  }

  #textOf(path: string): string | undefined {
    return isImported(path) ? this.#options.importedCode(path) : this.#options.store.state.files.get(path)
  }

  #follow(): void {
    const { state } = this.#options.store
    const { files } = state
    for (const path of this.#states.keys()) if (!isImported(path) && !files.has(path)) this.#states.delete(path)
    if (this.#isTyping) return
    const paths = paneFiles(state).map((path) =>
      path !== undefined && this.#textOf(path) !== undefined ? path : undefined,
    )
    const moved = this.#panes.flatMap((pane, at) =>
      pane === undefined || pane.path === paths[at] ? [] : [{ pane, path: paths[at] }],
    )
    // A file may move to the other pane.
    for (const { pane } of moved) {
      this.#leave(pane)
      pane.view.setState(EditorState.create())
    }
    for (const { pane, path } of moved) {
      pane.path = path
      if (path === undefined) continue
      pane.view.setState(this.#arrive(path))
      if (path === state.active) this.#reportCursor(pane.view.state)
    }
    for (const { view, path } of this.#shown()) if (path !== undefined) this.#refresh(view, path)
  }

  #refresh(view: EditorView, path: string): void {
    const text = this.#textOf(path) ?? ''
    if (text !== view.state.doc.toString()) view.dispatch(replacing(view.state, text))
    if (this.#isReading(path) !== view.state.readOnly)
      view.dispatch({ effects: this.#reading.reconfigure(EditorState.readOnly.of(this.#isReading(path))) })
  }

  #shown(): readonly Pane[] {
    return this.#panes.filter((pane) => pane !== undefined)
  }

  #leave({ path, view }: Pane): void {
    if (path !== undefined) this.#states.set(path, view.state)
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
        if (!update.docChanged || this.viewOf(path) !== update.view || this.#isReading(path)) return
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
