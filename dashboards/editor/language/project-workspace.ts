import { Workspace, LSPPlugin } from '@codemirror/lsp-client'
import type { LSPClient, WorkspaceFile } from '@codemirror/lsp-client'
import { ChangeSet, Text } from '@codemirror/state'
import type { TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { importedFolder } from '../project/project-state.ts'

interface OpenFile extends WorkspaceFile {
  view: EditorView | undefined
  /** Text from which `doc` was created, if the file has no editor. */
  text: string | undefined
}

interface FileUpdate {
  readonly file: WorkspaceFile
  readonly prevDoc: Text
  readonly changes: ChangeSet
}

interface WorkspaceProject {
  documents(): ReadonlyMap<string, string>
  display(uri: string): Promise<EditorView | undefined>
  change(uri: string, spec: TransactionSpec): void
}

const languageId = 'cadence'

/** Opens all project files, so that imports resolve and every file is checked. One per channel. */
export class ProjectWorkspace extends Workspace {
  override files: OpenFile[] = []
  readonly #project: WorkspaceProject
  #version = 0

  constructor(client: LSPClient, project: WorkspaceProject) {
    super(client)
    this.#project = project
  }

  match(): void {
    const documents = this.#project.documents()
    for (const file of this.files) {
      if (documents.has(file.uri)) continue
      this.client.didClose(file.uri)
    }
    this.files = this.files.filter(({ uri }) => documents.has(uri))
    for (const [uri, text] of documents) {
      if (this.getFile(uri) === null) this.#open(uri, Text.of(text.split('\n')), undefined)
    }
    this.client.sync()
  }

  /** Files are sent once the server is ready, by `match`. */
  override connected(): void {
    this.files = []
  }

  override syncFiles(): readonly FileUpdate[] {
    const updates: FileUpdate[] = []
    const documents = this.#project.documents()
    for (const file of this.files) {
      const changes = changesOf(file, documents.get(file.uri))
      if (changes === undefined) continue
      updates.push({ file, prevDoc: file.doc, changes })
      file.doc = changes.apply(file.doc)
      file.version = ++this.#version
    }
    return updates
  }

  override openFile(uri: string, _languageId: string, view: EditorView): void {
    const file = this.files.find((one) => one.uri === uri)
    if (file === undefined) {
      this.#open(uri, view.state.doc, view)
      return
    }
    file.view = view
  }

  override closeFile(uri: string, view: EditorView): void {
    const file = this.files.find((one) => one.uri === uri)
    if (file?.view !== view) return
    file.view = undefined
  }

  override updateFile(uri: string, update: TransactionSpec): void {
    const view = this.getFile(uri)?.getView()
    if (view === null || view === undefined) this.#project.change(uri, update)
    else view.dispatch(update)
  }

  override async displayFile(uri: string): Promise<EditorView | null> {
    return (await this.#project.display(uri)) ?? null
  }

  #open(uri: string, doc: Text, view: EditorView | undefined): void {
    const file: OpenFile = {
      uri,
      languageId,
      version: ++this.#version,
      doc,
      view,
      text: undefined,
      getView: () => file.view ?? null,
    }
    this.files.push(file)
    this.client.didOpen(file)
  }
}

function changesOf(file: OpenFile, text: string | undefined): ChangeSet | undefined {
  const { view, doc } = file
  const plugin = view === undefined ? null : LSPPlugin.get(view)
  if (view !== undefined && plugin !== null) {
    const changes = plugin.unsyncedChanges
    file.text = undefined
    // An editor that opened later has no earlier changes.
    const isWhole = changes.length === doc.length && changes.apply(doc).eq(view.state.doc)
    plugin.clear()
    if (isWhole) return changes.empty ? undefined : changes
    return replacing(doc, view.state.doc)
  }
  if (text === undefined || text === file.text) return undefined
  file.text = text
  const now = Text.of(text.split('\n'))
  return now.eq(doc) ? undefined : replacing(doc, now)
}

function replacing(before: Text, after: Text): ChangeSet {
  return ChangeSet.of({ from: 0, to: before.length, insert: after }, before.length)
}

export function documentsOf(
  files: ReadonlyMap<string, string>,
  first: readonly string[],
  max: number,
): ReadonlyMap<string, string> {
  const paths = [...new Set([...first, ...files.keys()])].filter((path) => files.has(path) && path.endsWith('.cdc'))
  return new Map(paths.slice(0, max).map((path) => [fileUri(path), files.get(path) ?? '']))
}

export class ImportedContracts {
  readonly #codes = new Map<string, string>()

  add(address: string, name: string, code: string): string {
    const path = `${importedFolder}/${address.replace(/^0x/, '').toLowerCase()}/${name}.cdc`
    this.#codes.set(path, code)
    return path
  }

  codeOf(path: string): string | undefined {
    return this.#codes.get(path)
  }

  /** Tab of a contract URI, in whatever folder the server stored it. */
  find(path: string): string | undefined {
    const tail = /([0-9a-fA-F]{16})\/(\w+)\.cdc$/.exec(path.replace(/(^|\/)0x/, '$1'))
    const own = tail === null ? undefined : `${importedFolder}/${tail[1]?.toLowerCase() ?? ''}/${tail[2] ?? ''}.cdc`
    return own !== undefined && this.#codes.has(own) ? own : undefined
  }
}

export function fileUri(path: string): string {
  return `file:///${path.split('/').map(encodeURIComponent).join('/')}`
}

export function pathOfUri(uri: string): string | undefined {
  if (!uri.startsWith('file:///')) return undefined
  try {
    const path = decodeURIComponent(uri.slice('file:///'.length))
    return path === '' || path.split('/').some((segment) => segment === '..' || segment === '.' || segment === '')
      ? undefined
      : path
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
