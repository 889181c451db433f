import type { EditorSettings } from './answers.gen.ts'
import { CodeRoom } from './language/code-room.ts'
import { ImportedContracts } from './language/project-workspace.ts'
import { LanguageRoom } from './language/language-room.ts'
import type { ProjectState } from './project/project-state.ts'
import { ProjectStore } from './project/project-state.ts'
import { DraftKeeper } from './project/drafts.ts'
import { ProjectSaver } from './project/project-saver.ts'
import type { ProjectsClient } from './settings.ts'

/** What a session may ask of the page around it. */
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
  /** Of what the browser keeps of it. */
  readonly draftId: string
  /** The browser keeps it already. */
  readonly isKept: boolean
}

const ownDraftKey = 'flowfarm-editor-draft'

/** The draft that this tab worked on before it was loaded again, or crashed. */
export function ownDraftId(): string | undefined {
  return sessionStorage.getItem(ownDraftKey) ?? undefined
}

/** An open project with its editor, language server, saver and draft. */
export class Session {
  readonly store: ProjectStore
  readonly saver: ProjectSaver
  readonly keeper: DraftKeeper
  readonly code: CodeRoom
  readonly language: LanguageRoom
  /** Set by the page while it is shown. */
  readonly events: SessionEvents = {
    run: () => undefined,
    save: () => undefined,
    cursor: () => undefined,
    message: () => undefined,
  }
  #isClosed = false

  constructor({ settings, projects, userId, state, draftId, isKept }: SessionOptions) {
    sessionStorage.setItem(ownDraftKey, draftId)
    const imported = new ImportedContracts()
    this.store = new ProjectStore(state)
    this.saver = new ProjectSaver({
      store: this.store,
      save: (request) => projects.save(request),
      read: (slug) => projects.get(slug),
    })
    this.keeper = new DraftKeeper({ id: draftId, store: this.store, userId }, isKept)
    this.code = new CodeRoom({
      store: this.store,
      importedCode: (path) => imported.codeOf(path),
      onRun: () => this.events.run(),
      onSave: () => this.events.save(),
      onEdit: () => undefined,
      onCursor: (line, column) => this.events.cursor(line, column),
    })
    this.language = new LanguageRoom({
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

  /** Ends it; what is not saved is kept in the browser. @param isForgotten it is not wanted any more */
  async close(options: { readonly isForgotten?: boolean } = {}): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    document.removeEventListener('visibilitychange', this.#hide)
    removeEventListener('pagehide', this.#hide)
    removeEventListener('online', this.#online)
    this.saver.close()
    this.language.close()
    this.code.close()
    await this.keeper.close(options)
  }

  readonly #hide = (): void => {
    if (document.visibilityState === 'visible') return
    void this.keeper.keepNow()
    void this.saver.saveNow()
  }

  readonly #online = (): void => void this.saver.saveNow()
}
