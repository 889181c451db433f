import { Client, credentials } from '@grpc/grpc-js'
import { contentsOf } from '../../../simnode/node/wire.ts'
import { eventsOf } from '../../../simnode/replay/recording.ts'
import type { RecordedEvent } from '../../../simnode/replay/recording.ts'

/** The events of some blocks of a node that speaks gRPC without TLS, in both encodings. */
export async function fetchEvents(address: string, from: number, count: number): Promise<RecordedEvent[]> {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.max_receive_message_length': -1 })
  const call = (method: string, request: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const identity = (bytes: Buffer): Buffer => bytes
      client.makeUnaryRequest(`/flow.access.AccessAPI/${method}`, identity, identity, request, (error, answer) => {
        if (error !== null) reject(error)
        else resolve(answer ?? Buffer.alloc(0))
      })
    })
  const found: RecordedEvent[] = []
  for (let height = from; height < from + count; height++) {
    const [block] = contentsOf(await call('GetBlockByHeight', Buffer.from([0x08, ...varint(height)])), 1)
    const [id] = contentsOf(block ?? Buffer.alloc(0), 1)
    if (id === undefined) throw new Error(`no block at height ${height}`)
    const results = (version: number): Promise<Buffer> =>
      call('GetTransactionResultsByBlockID', Buffer.from([0x0a, id.length, ...id, 0x10, version]))
    const ccf = eventsOf(await results(1))
    const json = eventsOf(await results(0))
    for (const [index, { type, payload }] of ccf.entries()) {
      found.push({ type, ccf: payload, json: json[index]?.payload ?? Buffer.alloc(0) })
    }
  }
  client.close()
  return found
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}
