import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { BytesClient } from './support/grpc-bytes.ts'
import { recordingFolder } from './support/replay.ts'
import { bytesOf, numberOf } from '../simnode/node/wire.ts'

const script = fileURLToPath(new URL('../scripts/replay.ts', import.meta.url))

describe('scripts/replay.ts', () => {
  const children: ChildProcessByStdio<null, Readable, Readable>[] = []

  function run(...args: string[]): ChildProcessByStdio<null, Readable, Readable> {
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    return child
  }

  async function failureOf(...args: string[]): Promise<{ code: unknown; complaint: string }> {
    const child = run(...args)
    const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>])
    return { code, complaint }
  }

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`reports that it is ready, serves, and exits with 0 on ${signal}`, async () => {
      const options = ['--branch', 'c', '--head', '30', '--loop', '--control-port', '0']
      const child = run(recordingFolder('fork'), '--port', '0', ...options)
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
      expect(line).to.match(/^Replay node ready on 127\.0\.0\.1:\d+: .*version c from height 0 without end, head 30;/)
      using client = new BytesClient(/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '')
      expect(numberOf(bytesOf(await client.call('GetLatestBlockHeader'), 1), 3)).to.equal(30)
      const stream = client.stream('SubscribeBlockDigestsFromLatest')
      stream.on('error', () => undefined)
      await once(stream, 'data')
      child.kill(signal)
      expect(await once(child, 'exit')).to.deep.equal([0, null])
    })
  }

  it('reports an invalid folder or port, and exits with 1', async () => {
    const missing = await failureOf('/no/such/folder')
    expect(missing.code).to.equal(1)
    expect(missing.complaint).to.match(/^Cannot read the folder \/no\/such\/folder: ENOENT/)
    expect(await failureOf(recordingFolder('base'), '--port', '99999')).to.deep.equal({
      code: 1,
      complaint: "--port takes an integer from 0 to 65535, not '99999'\n",
    })
    const first = run(recordingFolder('base'), '--port', '0')
    const [line] = (await once(createInterface(first.stdout), 'line')) as [string]
    const port = /:(\d+):/.exec(line)?.[1] ?? ''
    const second = await failureOf(recordingFolder('base'), '--port', port)
    expect(second.code).to.equal(1)
    expect(second.complaint).to.match(new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: .*EADDRINUSE`))
  })
})
