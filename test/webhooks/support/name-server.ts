import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/**
 * A DNS server on UDP of 127.0.0.1 that answers type A queries with `addressesOf` and a TTL of 0 s.
 */
export interface NameServer {
  /** `127.0.0.1:<port>`. */
  readonly address: string
  /** Queried names, with repetitions. */
  readonly requested: readonly string[]
  stop(): Promise<void>
}

export async function startNameServer(addressesOf: (name: string) => readonly string[]): Promise<NameServer> {
  const requested: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const labels: string[] = []
    let end = 12
    for (let length = question[end] ?? 0; length > 0; length = question[end] ?? 0) {
      labels.push(question.toString('latin1', end + 1, end + 1 + length))
      end += 1 + length
    }
    const name = labels.join('.')
    const isForIpv4 = question.readUInt16BE(end + 1) === 1
    const addresses = isForIpv4 ? addressesOf(name) : []
    if (isForIpv4) requested.push(name)
    const header = Buffer.alloc(12)
    question.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(addresses.length, 6)
    const answers = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    )
    socket.send(Buffer.concat([header, question.subarray(12, end + 5), ...answers]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    requested,
    stop: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
