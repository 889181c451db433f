import { execFile } from 'node:child_process'
import { chmod, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { asError } from '../../src/platform/errors.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions } from '../support/faultless-digest.ts'

const run = promisify(execFile)

describe('a full disk', function () {
  let folder: string
  let isMounted = false

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-full-'))
    try {
      await run('mount', ['-t', 'tmpfs', '-o', 'size=128m,mode=0711', 'tmpfs', folder])
      isMounted = true
    } catch (error) {
      // Mounting requires root, and not every container allows it.
      process.stderr.write(`    skipped: no small file system can be made here (${asError(error).message.trim()})\n`)
      this.skip()
    }
    await chmod(folder, 0o711)
  })

  after(async () => {
    if (isMounted) await run('umount', ['-l', folder])
    await rm(folder, { recursive: true, force: true })
  })

  it('stops ingest with a clear error and exit code 75; ingest resumes with free space', async () => {
    await using node = await startRecordedNode('base', { loop: true, head: 300 })
    const slow = node.inject({ kind: 'latency', ms: 50 })
    const variables = { CHAIN_ACCESS_NODE: node.endpoint, DATA_FOLDER: folder, ...directions.backward }
    const ballast = join(folder, 'ballast')
    const first = new FlowfarmProcess(['ingest'], variables)
    await first.logged(/Migrations applied/)
    await fill(ballast)
    slow.remove()
    expect(await first.ended(), first.output()).to.equal(75)
    const last = first.log.findLast((line) => line.level === 'fatal')
    expect(last?.msg).to.match(/The disk of the database is full \(.*\)\. Free some space and restart/)
    await rm(ballast)
    // The usage of the first run varies (mostly WAL), so the free space is set independently of it.
    await run('mount', ['-o', 'remount,size=1g', folder])
    const second = new FlowfarmProcess(['ingest'], variables)
    await second.logged(/History is complete/)
    expect(await second.end('SIGTERM')).to.equal(0)
  })

  /** Writes to a file until the disk is full. */
  async function fill(path: string): Promise<void> {
    const file = await open(path, 'w')
    try {
      for (;;) await file.write(Buffer.alloc(64 * 1024))
    } catch (error) {
      expect(error).to.have.property('code', 'ENOSPC')
    } finally {
      await file.close()
    }
  }
})
