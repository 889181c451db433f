import { expect } from 'chai'
import { chainBlock, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FeedClient } from '../support/feed-client.ts'
import { clientFrame, RawWebSocket } from '../support/raw-websocket.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

/** First bytes of frames, RFC 6455 §5.2. */
const text = 0x81
const textToGoOn = 0x01
const more = 0x00
const ping = 0x89

const longest = 64 * 1024

/** Client data and expected close code by defect. */
const hostile: Readonly<Record<string, readonly [code: number, bytes: readonly Buffer[]]>> = {
  'text that is not UTF-8': [1007, [clientFrame(text, Uint8Array.of(0xff, 0xfe))]],
  'text that is not UTF-8 when its pieces are joined': [
    1007,
    [clientFrame(textToGoOn, Uint8Array.of(0xe2, 0x82)), clientFrame(0x80, 'a')],
  ],
  'compressed text without negotiation': [1002, [clientFrame(0xc1, Uint8Array.of(0xaa, 0x56, 0x4a, 0x2d, 0x06, 0x00))]],
  'a reserved opcode': [1002, [clientFrame(0x83, '')]],
  'a frame without mask': [1002, [Buffer.from([text, 2, 0x7b, 0x7d])]],
  'a ping that is too long': [1002, [clientFrame(ping, Buffer.alloc(126))]],
  'a ping in pieces': [1002, [clientFrame(0x09, '')]],
  'more of a message that never began': [1002, [clientFrame(more, 'x')]],
  'a message inside another': [1002, [clientFrame(textToGoOn, 'x'), clientFrame(text, 'y')]],
  'a frame as long as frames can be': [1009, [clientFrame(text, '', Number.MAX_SAFE_INTEGER)]],
  'a message that is too long in all': [1009, [clientFrame(textToGoOn, Buffer.alloc(longest)), clientFrame(more, 'x')]],
  'a message in many pieces': [
    1008,
    [clientFrame(textToGoOn, ' '), ...Array.from({ length: 100 }, () => clientFrame(more, ' '))],
  ],
  'a message in many pieces of nothing': [
    1008,
    [clientFrame(textToGoOn, ''), ...Array.from({ length: 100 }, () => clientFrame(more, ''))],
  ],
}

describe('hostile frames', () => {
  let database: TestDatabase
  let api: RunningApi
  let height = 1

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 1, height)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  const open = (path = '/ws', headers = ''): Promise<RawWebSocket> => RawWebSocket.open(api.server.port, path, headers)

  for (const [what, [code, frames]] of Object.entries(hostile)) {
    it(`close the connection of their sender: ${what}`, async () => {
      for (const path of ['/ws', '/ws/status']) {
        const client = await open(path)
        client.socket.write(Buffer.concat(frames))
        expect(await client.closeCode(), path).to.equal(code)
      }
    })
  }

  it('in single bytes are not buffered', async () => {
    const client = await open()
    client.socket.write(clientFrame(text, '', longest - 1))
    let sent = 0
    while (!client.isClosing && sent < longest - 2) {
      client.socket.write(' ')
      sent++
      // Lets the server, which runs in this process, read it.
      await new Promise(setImmediate)
    }
    expect(await client.closeCode()).to.equal(1008)
    expect(sent).to.be.below(longest / 4)
  })

  it('cannot be compressed', async () => {
    const client = await open('/ws', 'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n')
    expect(client.answer)
      .to.match(/^HTTP\/1\.1 101 /)
      .and.not.match(/Extensions/i)
    client.socket.destroy()
  })

  it('do not affect others', async () => {
    const client = await FeedClient.connect(`${api.host}/ws`)
    const attackers = await Promise.all(
      Object.values(hostile).map(async ([, frames]) => {
        const attacker = await open()
        attacker.socket.write(Buffer.concat(frames))
        return attacker
      }),
    )
    await storeBlocks(database.pool, ++height, height)
    await client.count(1 + chainBlock(height).transactions.length)
    await Promise.all(attackers.map((attacker) => attacker.closeCode()))
    expect((await api.get('/health')).status).to.equal(200)
    await client.close()
  })
})
