import { escapeIdentifier } from 'pg'
import type { ClientBase, Connection, Submittable } from 'pg'
import { asDatabaseError } from './errors.ts'
import type { CopyWriter } from './copy-writer.ts'

/** Signature, no flags, no extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const trailer = Buffer.from([0xff, 0xff])

/** Messages CopyData and CopyDone, whose length includes the four bytes of the length. */
const dataCode = 0x64
const done = Buffer.from([0x63, 0, 0, 0, 4])
const prefixBytes = 5

/** The server reads a message into memory as a whole. */
const messageBytes = 256 * 1024
/** Smaller buffers are joined: copying is cheaper than a message each. */
const smallBytes = 8 * 1024

export interface CopiedRows {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: CopyWriter | Buffer | readonly Buffer[]
}

/** As `copyTables`, for one table. */
export function copyInto(
  client: ClientBase,
  table: string,
  columns: readonly string[],
  rows: CopiedRows['rows'],
): Promise<number> {
  return copyTables(client, [{ table, columns, rows }])
}

/**
 * Sends binary rows by COPY, in one round trip for all tables; returns the number of stored rows. The buffers must
 * not change until the promise settles, or after a failure until the client has answered or is closed.
 * @param first a statement before the first COPY
 * @throws FlowfarmError with the index of the rejected table (`failedStatement`)
 */
export async function copyTables(client: ClientBase, tables: readonly CopiedRows[], first?: 'begin'): Promise<number> {
  const statements: string[] = first === undefined ? [] : [first]
  const data: (readonly Buffer[])[] = []
  const copied: number[] = []
  for (const [index, { table, columns, rows }] of tables.entries()) {
    const buffers = asBuffers(rows).filter((buffer) => buffer.length > 0)
    if (buffers.length === 0) continue
    const target = table.split('.').map(escapeIdentifier).join('.')
    statements.push(`COPY ${target} (${columns.map(escapeIdentifier).join(', ')}) FROM STDIN (FORMAT binary)`)
    data.push(buffers)
    copied.push(index)
  }
  if (statements.length === 0) return 0
  const query = new CopyQuery(statements.join('; '), data)
  client.query(query)
  try {
    return await query.rows
  } catch (error) {
    const statement = copied[query.copies]
    throw asDatabaseError(error, statement === undefined ? {} : { statement })
  }
}

/**
 * Sends the data without waiting for the server to ask for it. After an error the server ignores the rest. Source:
 * PostgreSQL, "COPY Operations" of the message flow.
 */
class CopyQuery implements Submittable {
  readonly rows: Promise<number>
  /** Completed ones. */
  copies = 0
  /** `pg` replaces it to limit the time. */
  callback: (error?: Error) => void
  readonly #text: string
  readonly #data: readonly (readonly Buffer[])[]
  #rows = 0

  constructor(text: string, data: readonly (readonly Buffer[])[]) {
    this.#text = text
    this.#data = data
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    this.rows = promise
    this.callback = (error) => (error === undefined ? resolve(this.#rows) : reject(error))
  }

  submit(connection: Connection): void {
    const { stream } = connection
    stream.cork()
    connection.query(this.#text)
    for (const buffers of this.#data) {
      for (const chunk of withFrame(buffers)) {
        stream.write(prefixOf(chunk))
        stream.write(chunk)
      }
      stream.write(done)
    }
    stream.uncork()
  }

  handleCopyInResponse(): void {
    // The data has been sent.
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const count = /^COPY (\d+)$/.exec(text)?.[1]
    if (count === undefined) return
    this.copies++
    this.#rows += Number(count)
  }

  handleReadyForQuery(): void {
    this.callback()
  }

  handleError(error: Error): void {
    this.callback(error)
  }
}

function prefixOf(chunk: Buffer): Buffer {
  const prefix = Buffer.allocUnsafe(prefixBytes)
  prefix[0] = dataCode
  prefix.writeUInt32BE(chunk.length + 4, 1)
  return prefix
}

function asBuffers(rows: CopyWriter | Buffer | readonly Buffer[]): readonly Buffer[] {
  if (Buffer.isBuffer(rows)) return [rows]
  return 'out' in rows ? [rows.out.view()] : rows
}

function* withFrame(buffers: readonly Buffer[]): Generator<Buffer> {
  yield header
  for (const buffer of joinSmall(buffers)) {
    for (let at = 0; at < buffer.length; at += messageBytes) yield buffer.subarray(at, at + messageBytes)
  }
  yield trailer
}

function* joinSmall(buffers: readonly Buffer[]): Generator<Buffer> {
  let small: Buffer[] = []
  let bytes = 0
  for (const buffer of buffers) {
    const isLarge = buffer.length > smallBytes
    if (bytes > 0 && (isLarge || bytes + buffer.length > messageBytes)) {
      yield Buffer.concat(small, bytes)
      small = []
      bytes = 0
    }
    if (isLarge) yield buffer
    else {
      small.push(buffer)
      bytes += buffer.length
    }
  }
  if (bytes > 0) yield Buffer.concat(small, bytes)
}
