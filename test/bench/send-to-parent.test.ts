import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'

describe('process that reports to its parent', () => {
  it('exits silently when the parent disconnects', async () => {
    const child = fork(join(import.meta.dirname, 'flooding-child.ts'), { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
    const complaints = child.stderr === null ? '' : text(child.stderr)
    const exited = once(child, 'exit')
    await once(child, 'message')
    child.disconnect()
    expect(await exited).to.deep.equal([0, null])
    expect(await complaints).to.equal('')
  })
})
