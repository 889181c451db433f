import type { Connection, Submittable } from 'pg'

export interface ReceivedColumn {
  readonly name: string
  readonly dataTypeID: number
}

export interface Received {
  readonly columns: readonly ReceivedColumn[]
  /** Values as the server writes them. */
  readonly rows: readonly (readonly (string | null)[])[]
  /** The server sent more bytes than it may: the rest was not waited for, and the connection is of no use any more. */
  readonly isCut: boolean
}

export interface BoundedQueryOptions {
  /** Statements that go before it in the same round trip, and give no rows; when one of them fails, it is not run. */
  readonly before: readonly string[]
  readonly text: string
  readonly mostRows: number
  readonly mostBytes: number
}

/**
 * One statement without parameters by the extended protocol, with those before it in one round trip: a text of it has no second
 * statement, and the server stops after so many rows. What comes is counted as it comes, also within a row, which may have a gigabyte.
 */
export class BoundedQuery implements Submittable {
  readonly #options: BoundedQueryOptions
  readonly #outcome = Promise.withResolvers<Received>()
  #columns: readonly ReceivedColumn[] = []
  readonly #rows: (readonly (string | null)[])[] = []
  #bytes = 0
  #stopCounting: () => void = () => undefined

  constructor(options: BoundedQueryOptions) {
    this.#options = options
  }

  /** Settles when the server has said all of it. @throws what the server or the connection threw */
  get received(): Promise<Received> {
    return this.#outcome.promise
  }

  submit(connection: Connection): void {
    const { stream } = connection
    const count = (chunk: Buffer): void => {
      this.#bytes += chunk.length
      if (this.#bytes <= this.#options.mostBytes) return
      this.#stopCounting()
      this.#outcome.resolve({ columns: this.#columns, rows: this.#rows, isCut: true })
      stream.destroy()
    }
    stream.on('data', count)
    this.#stopCounting = () => stream.off('data', count)
    stream.cork()
    // The types say that each of them waits for `flush`; in fact the driver sends at once, and the cork gathers.
    for (const text of this.#options.before) {
      connection.parse({ name: '', text, types: [] }, true)
      connection.bind({}, true)
      connection.execute({ portal: '' }, true)
    }
    connection.parse({ name: '', text: this.#options.text, types: [] }, true)
    connection.bind({}, true)
    connection.describe({ type: 'P', name: '' }, true)
    connection.execute({ portal: '', rows: String(this.#options.mostRows) }, true)
    connection.sync()
    stream.uncork()
  }

  handleRowDescription({ fields }: { readonly fields: readonly ReceivedColumn[] }): void {
    this.#columns = fields
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows.push(fields)
  }

  /** There are more rows than were asked for. */
  handlePortalSuspended(): void {
    // What follows is the answer to `sync`.
  }

  handleCommandComplete(): void {
    // Nothing is told by it that the rows do not tell.
  }

  handleEmptyQuery(): void {
    // An answer without columns.
  }

  /** The gate lets no COPY through; without it the server would wait for data that nobody sends. */
  handleCopyInResponse(connection: Connection & { readonly sendCopyFail: (message: string) => void }): void {
    connection.sendCopyFail('there is nothing to copy')
  }

  handleCopyData(): void {
    // Counted with all that comes, and kept by nobody.
  }

  handleReadyForQuery(): void {
    this.#stopCounting()
    this.#outcome.resolve({ columns: this.#columns, rows: this.#rows, isCut: false })
  }

  handleError(error: Error): void {
    this.#stopCounting()
    this.#outcome.reject(error)
  }
}
