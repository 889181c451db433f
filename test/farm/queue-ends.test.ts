import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { startRedis } from '../../scripts/bench/start-redis.ts'

const program = join(import.meta.dirname, '../support/queue-process.ts')

describe('queues closed during an outage of their store', () => {
  it('do not keep the process alive', async function (this: Mocha.Context) {
    const redis = await startRedis()
    if (redis === undefined) this.skip()
    const child = spawn(process.execPath, [program, redis.url], { stdio: ['pipe', 'pipe', 'inherit'] })
    try {
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
      await once(child.stdout, 'data')
      await redis.kill()
      child.stdin.end()
      expect(await once(child, 'exit')).to.deep.equal([0, null])
      expect(output).to.equal('works\nclosed\n')
    } finally {
      child.kill('SIGKILL')
      await redis.stop()
    }
  })
})
