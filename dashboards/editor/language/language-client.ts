import {
  hoverTooltips,
  jumpToDefinitionKeymap,
  LSPClient,
  LSPPlugin,
  renameKeymap,
  serverCompletion,
  signatureHelp,
} from '@codemirror/lsp-client'
import type { Transport } from '@codemirror/lsp-client'
import { keymap } from '@codemirror/view'
import type { Diagnostic as ServerDiagnostic } from 'vscode-languageserver-protocol'
import type { Network } from '../types.ts'
import { withOpen } from '../project/file-tree.ts'
import type { ProjectStore } from '../project/project-state.ts'
import type { CodeEditor } from './code-editor.ts'
import { fileUri, pathOfUri, documentsOf, ProjectWorkspace } from './project-workspace.ts'
import type { ImportedContracts } from './project-workspace.ts'
import { LspConnection, TrackedTransport } from './lsp-connection.ts'
import type { ServerState } from './lsp-connection.ts'
import { marksOf, problemsOf } from './problems.ts'
import type { Problem } from './problems.ts'

interface LanguageClientOptions {
  readonly url: string
  readonly store: ProjectStore
  readonly code: CodeEditor
  readonly imported: ImportedContracts
  readonly onMessage: (text: string) => void
}

interface LanguageState {
  readonly server: ServerState
  readonly problems: readonly Problem[]
}

const syncAfterMs = 200
const requestTimeoutMs = 15_000
const maxDocuments = 200

interface Published {
  readonly uri: string
  readonly diagnostics: readonly ServerDiagnostic[]
  readonly version?: number | null
}
interface Resolved {
  readonly address?: unknown
  readonly contractName?: unknown
  readonly code?: unknown
}

export class LanguageClient {
  readonly #options: LanguageClientOptions
  readonly #listeners = new Set<() => void>()
  readonly #stopListening: () => void
  readonly #received = new Map<string, readonly ServerDiagnostic[]>()
  #state: LanguageState = { server: { is: 'connecting' }, problems: [] }
  #connection: LspConnection
  #network: Network
  #client: LSPClient | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LanguageClientOptions) {
    this.#options = options
    const { store, code } = options
    this.#network = store.state.network
    code.setMarks((path, { doc }) => marksOf(this.#received.get(path) ?? [], doc))
    this.#connection = this.#connect()
    this.#stopListening = store.subscribe(() => this.#follow())
  }

  get state(): LanguageState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#stopListening()
    clearTimeout(this.#timer)
    this.#connection.close()
    this.#listeners.clear()
  }

  #connect(): LspConnection {
    return new LspConnection({
      url: this.#options.url,
      network: this.#network,
      onOpen: (transport) => this.#open(transport),
      onState: (server) => this.#set({ server }),
    })
  }

  #follow(): void {
    const { network, files } = this.#options.store.state
    if (network !== this.#network) {
      this.#network = network
      this.#connection.close()
      this.#clear()
      this.#connection = this.#connect()
      return
    }
    for (const path of this.#received.keys()) if (!files.has(path)) this.#setDiagnostics(path, [])
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const workspace = this.#client?.workspace
      if (workspace instanceof ProjectWorkspace) workspace.match()
    }, syncAfterMs)
  }

  #open(transport: Transport): () => void {
    const { store, code, imported, onMessage } = this.#options
    const tracked = new TrackedTransport(transport)
    const client = new LSPClient({
      rootUri: 'file:///',
      timeout: requestTimeoutMs,
      sanitizeHTML: sanitizeHtml,
      workspace: (made) =>
        new ProjectWorkspace(made, {
          documents: () => documentsOf(store.state.files, store.state.open, maxDocuments),
          display: async (uri) => (this.#display(uri) ? code.view : undefined),
          change: (uri, spec) => {
            const path = pathOfUri(uri)
            if (path !== undefined && store.state.files.has(path) && !store.state.isReadOnly) code.change(path, spec)
          },
        }),
      notificationHandlers: {
        'textDocument/publishDiagnostics': (_client, params: Published) => this.#published(client, params),
        'flow/dependencyResolved': (_client, { address, contractName, code: text }: Resolved) => {
          if (typeof address === 'string' && typeof contractName === 'string' && typeof text === 'string')
            imported.add(address, contractName, text)
          return true
        },
        'window/showMessage': (_client, { message }: { readonly message?: unknown }) => {
          if (typeof message === 'string') onMessage(message)
          return true
        },
        'window/logMessage': () => true,
      },
      extensions: [
        serverCompletion(),
        hoverTooltips(),
        signatureHelp(),
        keymap.of([...jumpToDefinitionKeymap, ...renameKeymap]),
      ],
    })
    let isOver = false
    client.connect(tracked).initializing.then(
      () => {
        if (isOver) return
        this.#client = client
        const { workspace } = client
        if (workspace instanceof ProjectWorkspace) workspace.match()
        code.setPlugin((path) =>
          path.endsWith('.cdc') && store.state.files.has(path) ? client.plugin(fileUri(path), 'cadence') : [],
        )
      },
      (error: unknown) => {
        if (!isOver)
          onMessage(
            `The language server did not start: ${error instanceof Error ? error.message : JSON.stringify(error)}`,
          )
      },
    )
    return () => {
      isOver = true
      if (this.#client === client) this.#client = undefined
      code.setPlugin(() => [])
      tracked.end()
      client.disconnect()
    }
  }

  #published(client: LSPClient, { uri, diagnostics, version }: Published): boolean {
    const path = pathOfUri(uri)
    const file = client.workspace.getFile(uri)
    if (path === undefined || file === null || (typeof version === 'number' && version !== file.version)) return true
    const { code } = this.#options
    this.#setDiagnostics(path, diagnostics)
    const view = code.viewOf(path)
    if (view === undefined) return true
    const plugin = LSPPlugin.get(view)
    const marks = marksOf(diagnostics, plugin?.syncedDoc ?? file.doc)
    // The diagnostics are older than the text.
    code.mark(
      view,
      plugin === null
        ? marks
        : marks.map((mark) => ({
            ...mark,
            from: plugin.unsyncedChanges.mapPos(mark.from),
            to: plugin.unsyncedChanges.mapPos(mark.to, 1),
          })),
    )
    return true
  }

  #display(uri: string): boolean {
    const { store, imported } = this.#options
    const path = pathOfUri(uri)
    const shown = path !== undefined && store.state.files.has(path) ? path : imported.find(path ?? uri)
    if (shown === undefined) {
      this.#options.onMessage('The code of this declaration is not available.')
      return false
    }
    store.change((state) => withOpen(state, shown))
    return true
  }

  #setDiagnostics(path: string, diagnostics: readonly ServerDiagnostic[]): void {
    if (diagnostics.length === 0) this.#received.delete(path)
    else this.#received.set(path, diagnostics)
    this.#set({
      problems: [...this.#received]
        .sort(([one], [other]) => one.localeCompare(other))
        .flatMap(([name, list]) => problemsOf(name, list)),
    })
  }

  #clear(): void {
    this.#received.clear()
    this.#options.code.clearMarks()
    this.#set({ problems: [] })
  }

  #set(change: Partial<LanguageState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

const allowed = new Set([
  'P',
  'BR',
  'HR',
  'PRE',
  'CODE',
  'SPAN',
  'EM',
  'STRONG',
  'B',
  'I',
  'UL',
  'OL',
  'LI',
  'BLOCKQUOTE',
  'H1',
  'H2',
  'H3',
  'H4',
  'H5',
  'H6',
  'DEL',
  'TABLE',
  'THEAD',
  'TBODY',
  'TR',
  'TH',
  'TD',
  'A',
])
const dropped = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'IFRAME', 'OBJECT', 'EMBED', 'SVG', 'MATH', 'FORM', 'NOSCRIPT'])

/**
 * Hover texts contain comments of untrusted contracts. Attributes are removed, except the class of
 * code and links to other sites.
 */
function sanitizeHtml(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  clean(body)
  return body.innerHTML
}

function clean(parent: Element): void {
  for (const element of Array.from(parent.children)) {
    const name = element.tagName.toUpperCase()
    if (dropped.has(name) || element.namespaceURI !== 'http://www.w3.org/1999/xhtml') {
      element.remove()
      continue
    }
    clean(element)
    if (allowed.has(name)) cleanAttributes(element)
    else element.replaceWith(...element.childNodes)
  }
  for (const node of Array.from(parent.childNodes)) if (node.nodeType === Node.COMMENT_NODE) node.remove()
}

function cleanAttributes(element: Element): void {
  for (const { name, value } of Array.from(element.attributes)) {
    const isLink = element.tagName === 'A' && name === 'href' && /^https?:\/\//i.test(value)
    if (!isLink && !(element.tagName === 'SPAN' && name === 'class')) element.removeAttribute(name)
  }
  if (!element.hasAttribute('href')) return
  element.setAttribute('rel', 'noreferrer noopener')
  element.setAttribute('target', '_blank')
}
