import type { ServerRun } from './server-run.ts'
import { TriedDocument } from './tried-document.ts'
import type { Accused } from './tried-document.ts'

/** Versions that are remembered to name those of the client in diagnostics. */
const rememberedVersions = 64

/**
 * A document that a client has open: its text as the client has it, so that it can be sent again at any time, and as the language server was given it.
 * Versions towards the server are our own, since a document is sent again without a change of the client's.
 */
export class OpenDocument {
  readonly path: string
  readonly languageId: string
  /** Whether a server bears the text. */
  readonly tried: TriedDocument
  /** Whether it bears what is asked about it. */
  readonly asked: TriedDocument
  text: string
  /** Of `text`, in UTF-8. */
  bytes = 0
  /** Why it is not sent: it is too large, or its changes could not be applied. It needs its whole text to be sent again. */
  refusal: string | undefined
  /** Until when the document is set aside, as the client was told it last; undefined where it is not. */
  toldAsideUntil: number | undefined
  /** Something is to be done to send it again. */
  isRefreshing = false
  /** What the server is given in place of `text`. */
  #prepared = ''
  #clientVersion: number | undefined
  #serverVersion = 0
  /** Whether what was prepared last was given to a run. */
  #isGiven = false
  #givenTo: ServerRun | undefined
  readonly #clientVersions = new Map<number, number | undefined>()

  /** @param blame where is written down what servers end on, and whose it is */
  constructor(path: string, languageId: string, version: unknown, blame: Omit<Accused, 'subject'>) {
    this.path = path
    this.languageId = languageId
    this.text = ''
    this.version = version
    this.tried = new TriedDocument({ ...blame, subject: `document ${path}` })
    this.asked = new TriedDocument({ ...blame, subject: `requests ${path}` }, true)
  }

  /** The client's version, where it gave one. */
  set version(version: unknown) {
    this.#clientVersion = typeof version === 'number' && Number.isInteger(version) ? version : undefined
  }

  /** Takes over what the server is to be given from now on, be it the same text as before. */
  set prepared(text: string) {
    this.#prepared = text
    this.#isGiven = false
  }

  /** Whether a run has it as it was prepared last. */
  isGivenTo(run: ServerRun): boolean {
    return this.#givenTo === run && this.#isGiven
  }

  /** Sends the prepared text as it is now. @param uri of the server */
  giveTo(run: ServerRun, uri: string): void {
    this.#serverVersion++
    const version = this.#serverVersion
    this.#clientVersions.set(version, this.#clientVersion)
    this.#clientVersions.delete(version - rememberedVersions)
    if (this.#givenTo === run)
      run.give(
        'textDocument/didChange',
        { textDocument: { uri, version }, contentChanges: [{ text: this.#prepared }] },
        this.tried,
      )
    else
      run.give(
        'textDocument/didOpen',
        { textDocument: { uri, languageId: this.languageId, version, text: this.#prepared } },
        this.tried,
      )
    this.#givenTo = run
    this.#isGiven = true
  }

  /** Closes it where it is open. @param uri of the server; @param isForgetful a server that knows of no closing keeps the text, so that it is given an empty one */
  takeFrom(run: ServerRun, uri: string, isForgetful: boolean): void {
    if (this.#givenTo !== run) return
    this.#givenTo = undefined
    run.forget(this.tried)
    if (isForgetful)
      run.notify('textDocument/didChange', {
        textDocument: { uri, version: this.#serverVersion + 1 },
        contentChanges: [{ text: '' }],
      })
    run.notify('textDocument/didClose', { textDocument: { uri } })
  }

  /** The client's version of which a server's version was made; undefined where it gave none or that is long ago. */
  clientVersionOf(serverVersion: unknown): number | undefined {
    return typeof serverVersion === 'number' ? this.#clientVersions.get(serverVersion) : undefined
  }
}
