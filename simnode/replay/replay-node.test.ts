import { expect } from 'chai'
import { BytesClient } from '../../test/support/grpc-bytes.ts'
import { startRecordedNode } from '../../test/support/replay.ts'
import type { RecordedCall } from './recording.ts'
import type { ReplayNode } from './replay-node.ts'
import { bytesOf, numberOf } from '../node/wire.ts'

/** Repeats a call and compares the bytes, or status and message, with the recording. */
async function expectAsRecorded(client: BytesClient, call: RecordedCall): Promise<void> {
  const label = `${call.method} ${call.request.toString('base64')} at height ${call.height}`
  if (Buffer.isBuffer(call.answer)) {
    expect((await client.call(call.method, call.request)).equals(call.answer), label).to.equal(true)
  } else {
    const failure = await client.failureOf(call.method, call.request)
    expect(failure, label).to.deep.equal({ code: call.answer.code, details: call.answer.message })
  }
}

/** The head at which a call was recorded, if the response has it. */
function headOf(call: RecordedCall): number | undefined {
  if (!call.method.startsWith('GetLatestBlock') || !Buffer.isBuffer(call.answer)) return undefined
  return numberOf(bytesOf(call.answer, 1), 3)
}

describe('replay node', () => {
  let node: ReplayNode
  let client: BytesClient

  afterEach(async () => {
    client.close()
    await node.stop()
  })

  it('returns the recorded response to every call of the base recording', async () => {
    node = await startRecordedNode('base')
    client = new BytesClient(node.endpoint)
    const { calls } = node.chain.version
    for (let i = 0; i < calls.length; i += 64) {
      await Promise.all(calls.slice(i, i + 64).map((call) => expectAsRecorded(client, call)))
    }
    expect(node.callCount()).to.equal(calls.length)
  })

  for (const [version, rollbackHead] of [
    ['a', 20],
    ['b', 12],
    ['c', 24],
  ] as const) {
    it(`returns the recorded response to every call of version ${version} of the fork recording, from the rollback on`, async () => {
      node = await startRecordedNode('fork')
      client = new BytesClient(node.endpoint)
      node.switchTo(version, rollbackHead)
      let isAtEnd = false
      for (const call of node.chain.version.calls) {
        const head = headOf(call)
        if (head !== undefined) node.setHead(head)
        // Calls after the first call with a height were recorded at the end of the version.
        isAtEnd ||= call.height !== undefined
        if (isAtEnd) node.setHead(node.chain.lastRecorded)
        await expectAsRecorded(client, call)
      }
    })
  }
})
