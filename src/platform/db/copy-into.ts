import { once } from 'node:events'
import { escapeIdentifier, type ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { asDatabaseError } from './errors.ts'
import type { CopyWriter } from './copy-writer.ts'

/** Signature, no flags, no extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const trailer = Buffer.from([0xff, 0xff])

const messageBytes = 256 * 1024
/** Smaller buffers are joined: copying is cheaper than a message each. */
const smallBytes = 8 * 1024

/**
 * Sends binary rows into `table` by COPY; returns the number of stored rows. The buffers must not
 * change until the promise settles, and the client must be idle.
 * @throws FlowfarmError
 */
export async function copyInto(
  client: ClientBase,
  table: string,
  columns: readonly string[],
  rows: CopyWriter | Buffer | readonly Buffer[],
): Promise<number> {
  const buffers = asBuffers(rows).filter((buffer) => buffer.length > 0)
  if (buffers.length === 0) return 0
  const target = table.split('.').map(escapeIdentifier).join('.')
  const columnList = columns.map(escapeIdentifier).join(', ')
  const stream = client.query(copyFrom(`COPY ${target} (${columnList}) FROM STDIN (FORMAT binary)`))
  const finished = once(stream, 'finish')
  // Prevents an unhandled rejection: waiting for `drain` throws the same failure.
  finished.catch(() => undefined)
  // A COPY abandoned after a timeout fails again when its connection is closed.
  stream.on('error', () => undefined)
  try {
    for (const chunk of withFrame(buffers)) {
      if (!stream.write(chunk)) await once(stream, 'drain')
    }
    stream.end()
    await finished
    return stream.rowCount
  } catch (error) {
    throw asDatabaseError(error)
  }
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
