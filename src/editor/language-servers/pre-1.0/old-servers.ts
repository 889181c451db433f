import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Callbacks, CadenceLanguageServer } from '@onflow/cadence-language-server'
import type { Message, NotificationMessage, RequestMessage, ResponseMessage } from 'vscode-jsonrpc'
import { asError } from '../../../platform/errors.ts'
import { fileUriPath } from '../file-uri-path.ts'

interface OldServersOptions {
  /** Makes another server within the one WebAssembly program. */
  readonly create: (callbacks: Callbacks) => Promise<CadenceLanguageServer>
  readonly send: (message: Message) => void
  /** Called on `exit`, and when the program has ended by itself. */
  readonly onExit: (code: number) => void
}

interface ProjectServer {
  readonly callbacks: Callbacks
  readonly server: CadenceLanguageServer
  readonly documents: Set<string>
}

const initializeId = 'project'

/**
 * The checkers of Cadence 0.42, one for each project (folder with a `flow.json`), all in one WebAssembly program: so a document can import what is in
 * its own project alone. To the client they are one server. `shutdown` and `exit` are never passed on, because `exit` of one ends all.
 */
export class OldServers {
  readonly #options: OldServersOptions
  readonly #projects = new Map<string, ProjectServer>()
  #initialize: RequestMessage | undefined
  #first: ProjectServer | undefined
  #isStopping = false
  #queue: Promise<unknown> = Promise.resolve()

  constructor(options: OldServersOptions) {
    this.#options = options
  }

  /** Takes a message of the client; messages are handled in their order. */
  receive(message: Message): void {
    this.#queue = this.#queue
      .then(() => this.#handle(message))
      .catch((error: unknown) => {
        if ('id' in message && 'method' in message) this.#fail(message as RequestMessage, asError(error).message)
      })
  }

  async #handle(message: Message): Promise<void> {
    if (!('method' in message)) return
    const request = message as RequestMessage | NotificationMessage
    switch (request.method) {
      case 'initialize': {
        this.#initialize = request as RequestMessage
        this.#first = await this.#open('', (answer) =>
          this.#options.send({ ...answer, id: (request as RequestMessage).id } as ResponseMessage),
        )
        return
      }
      case 'initialized':
        return
      case 'shutdown': {
        this.#isStopping = true
        this.#options.send({ jsonrpc: '2.0', id: (request as RequestMessage).id, result: null } as ResponseMessage)
        return
      }
      case 'exit':
        return this.#options.onExit(this.#isStopping ? 0 : 1)
      default:
        return this.#pass(request)
    }
  }

  async #pass(request: RequestMessage | NotificationMessage): Promise<void> {
    const uri = uriOf(request.params)
    const project = uri === undefined ? undefined : projectFolderOf(uri)
    const known = project === undefined ? this.#first : this.#projects.get(project)
    const opens = request.method === 'textDocument/didOpen'
    if (known === undefined && !opens) {
      if ('id' in request) this.#fail(request, 'the document is not open')
      return
    }
    const server = known ?? (await this.#open(project ?? '', () => undefined))
    if (uri !== undefined && opens) server.documents.add(uri)
    if (uri !== undefined && request.method === 'textDocument/didClose') server.documents.delete(uri)
    server.callbacks.toServer?.(null, request)
    if (project !== undefined && server.documents.size === 0) {
      this.#projects.delete(project)
      server.server.close()
    }
  }

  async #open(project: string, onInitialized: (answer: Message) => void): Promise<ProjectServer> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const callbacks: Callbacks = {
      toClient: (message) => {
        if ('method' in message && 'id' in message) {
          // What servers ask of their clients (to register commands) is granted; the ids of several would meet.
          callbacks.toServer?.(null, { jsonrpc: '2.0', id: message.id, result: null } as ResponseMessage)
        } else if (!('method' in message) && (message as ResponseMessage).id === initializeId) {
          onInitialized(message)
          resolve(undefined)
        } else this.#options.send(message)
      },
      getStringCode: (location) => readProjectFile(project, location),
      getAddressCode: () => undefined,
      onServerClose: () => undefined,
    }
    const server = await this.#options.create(callbacks)
    const opened = { callbacks, server, documents: new Set<string>() }
    if (project !== '') this.#projects.set(project, opened)
    callbacks.toServer?.(null, {
      jsonrpc: '2.0',
      id: initializeId,
      method: 'initialize',
      params: this.#initialize?.params ?? {},
    } as RequestMessage)
    await promise
    callbacks.toServer?.(null, { jsonrpc: '2.0', method: 'initialized', params: {} } as NotificationMessage)
    return opened
  }

  #fail({ id }: RequestMessage, message: string): void {
    this.#options.send({ jsonrpc: '2.0', id, error: { code: -32_602, message } } as ResponseMessage)
  }
}

/** Of the document that a message is about; an item of completions names it in its data. */
function uriOf(params: unknown): string | undefined {
  const { textDocument, data } = (params ?? {}) as {
    readonly textDocument?: { readonly uri?: unknown }
    readonly data?: { readonly uri?: unknown; readonly URI?: unknown }
  }
  return [textDocument?.uri, data?.uri, data?.URI].find((uri) => typeof uri === 'string')
}

const largestFile = 1_000_000
const deepestFolder = 40

/** The nearest folder above a document that has a `flow.json`, as for the CLI; else the document's own. */
function projectFolderOf(uri: string): string | undefined {
  const path = fileUriPath(uri)
  if (path === undefined) return undefined
  const own = dirname(path)
  for (let folder = own, depth = 0; depth < deepestFolder; depth++, folder = dirname(folder)) {
    if (lstatSync(join(folder, 'flow.json'), { throwIfNoEntry: false })?.isFile() === true) return folder
    if (dirname(folder) === folder) break
  }
  return own
}

/**
 * The code of a file that a document imports by path. The checker asks for it while it checks and waits for the answer, so it is read at once.
 * @param path absolute, or relative to the project
 * @returns undefined for what is no plain file within the project
 */
function readProjectFile(project: string, path: string): string | undefined {
  const absolute = resolve(project, path)
  if (absolute.includes('\0') || !absolute.endsWith('.cdc')) return undefined
  const stat = lstatSync(absolute, { throwIfNoEntry: false })
  if (stat?.isFile() !== true || stat.size > largestFile) return undefined
  const way = relative(realpathSync(project), realpathSync(absolute))
  return way === '..' || way.startsWith(`..${sep}`) ? undefined : readFileSync(absolute, 'utf8')
}
