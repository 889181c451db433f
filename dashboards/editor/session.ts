import type { EditorSettings } from './answers.gen.ts'
import { CodeEditor } from './language/code-editor.ts'
import { ImportedContracts } from './language/project-workspace.ts'
import { LanguageClient } from './language/language-client.ts'
import type { ProjectState } from './project/project-state.ts'
import { ProjectStore } from './project/project-state.ts'
import { DraftStore } from './project/drafts.ts'
import { ProjectSaver } from './project/project-saver.ts'
import type { ProjectsClient } from './settings.ts'

export interface SessionEvents {
  run: () => void
  save: () => void
  cursor: (line: number, column: number) => void
  message: (text: string) => void
}

export interface SessionOptions {
  readonly settings: EditorSettings
  readonly projects: ProjectsClient
  readonly userId: () => string | undefined
  readonly state: ProjectState
  readonly draftId: string
  readonly isStored: boolean
}

const ownDraftKey = 'flowfarm-editor-draft'

export function ownDraftId(): string | undefined {
  return sessionStorage.getItem(ownDraftKey) ?? undefined
}

export class Session {
  readonly store: ProjectStore
  readonly saver: ProjectSaver
  readonly draftStore: DraftStore
  readonly code: CodeEditor
  readonly language: LanguageClient
  readonly events: SessionEvents = {
    run: () => undefined,
    save: () => undefined,
    cursor: () => undefined,
    message: () => undefined,
  }
  #isClosed = false

  constructor({ settings, projects, userId, state, draftId, isStored }: SessionOptions) {
    sessionStorage.setItem(ownDraftKey, draftId)
    const imported = new ImportedContracts()
    this.store = new ProjectStore(state)
    this.saver = new ProjectSaver({
      store: this.store,
      save: (request) => projects.save(request),
      read: (slug) => projects.get(slug),
    })
    this.draftStore = new DraftStore({ id: draftId, store: this.store, userId }, isStored)
    this.code = new CodeEditor({
      store: this.store,
      importedCode: (path) => imported.codeOf(path),
      onRun: () => this.events.run(),
      onSave: () => this.events.save(),
      onEdit: () => undefined,
      onCursor: (line, column) => this.events.cursor(line, column),
    })
    this.language = new LanguageClient({
      url: settings.lsp_url,
      store: this.store,
      code: this.code,
      imported,
      onMessage: (text) => this.events.message(text),
    })
    document.addEventListener('visibilitychange', this.#hide)
    addEventListener('pagehide', this.#hide)
    addEventListener('online', this.#online)
  }

  /** Unsaved changes stay in the browser. @param isDiscarded deletes the draft */
  async close(options: { readonly isDiscarded?: boolean } = {}): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    document.removeEventListener('visibilitychange', this.#hide)
    removeEventListener('pagehide', this.#hide)
    removeEventListener('online', this.#online)
    this.saver.close()
    this.language.close()
    this.code.close()
    await this.draftStore.close(options)
  }

  readonly #hide = (): void => {
    if (document.visibilityState === 'visible') return
    void this.draftStore.storeNow()
    void this.saver.saveNow()
  }

  readonly #online = (): void => void this.saver.saveNow()
}
