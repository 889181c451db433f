import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { AgentMemory } from '../../../../src/assistant/query/agent-memory.ts'
import { PairFolder } from '../../../../src/assistant/query/pair-folder.ts'
import { ApiError } from '../../../../src/platform/errors.ts'

const blocks = {
  target: 'indexer',
  question: 'How many blocks are there?',
  sql: 'SELECT count(*) FROM raw.blocks',
} as const
const holders = { target: 'indexer', question: 'Which accounts hold the most FLOW?', sql: 'SELECT 1' } as const
const chinese = { target: 'indexer', question: '昨天有多少笔交易？', sql: 'SELECT 2' } as const

describe('memory of approved examples', () => {
  let root: string
  let folder: string
  const open = (): AgentMemory => new AgentMemory({ folder: new PairFolder(folder, pino({ level: 'silent' })) })

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'flowfarm-memory-'))
    folder = join(root, 'pairs')
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  it('is empty and creates no folder until the first approval', async () => {
    expect(await open().list()).to.deep.equal([])
    expect(await open().search('indexer', 'blocks', 3)).to.deep.equal([])
    expect(await readdir(root)).to.deep.equal([])
  })

  it('finds a rephrased question in English and Chinese', async () => {
    const memory = open()
    for (const pair of [blocks, holders, chinese]) await memory.add(pair)
    const questionsFor = async (question: string): Promise<string[]> =>
      (await memory.search('indexer', question, 3)).map((pair) => pair.question)
    expect(await questionsFor('how many block there are')).to.deep.equal([blocks.question])
    expect(await questionsFor('账户昨天有多少交易')).to.deep.equal([chinese.question])
    expect(await questionsFor('Wer ist das?')).to.deep.equal([])
    expect(await memory.search('evm', blocks.question, 3)).to.deep.equal([])
  })

  it('stores one statement per question, the latest', async () => {
    const memory = open()
    const first = await memory.add(blocks)
    const second = await memory.add({
      ...blocks,
      question: ' how many  BLOCKS are there? ',
      sql: 'SELECT max(height) FROM raw.blocks',
    })
    expect(second.id).to.equal(first.id)
    expect((await memory.list()).map(({ sql }) => sql)).to.deep.equal(['SELECT max(height) FROM raw.blocks'])
  })

  it('persists across restarts and is shared between processes', async () => {
    const [one, other] = [open(), open()]
    await one.add(blocks)
    expect(await other.list()).to.have.length(1)
    const { id } = await other.add(holders)
    expect(await one.list()).to.have.length(2)
    expect(await one.delete(id)).to.equal(true)
    expect(await other.search('indexer', holders.question, 1)).to.deep.equal([])
    expect(await open().list()).to.have.length(1)
  })

  it('deletes one example, those of a database, or all, from disk too', async () => {
    const memory = open()
    const { id } = await memory.add(blocks)
    await memory.add(holders)
    await memory.add({ ...chinese, target: 'evm' })
    expect(await memory.delete(id)).to.equal(true)
    expect(await memory.delete(id)).to.equal(false)
    expect(await memory.clear('indexer')).to.equal(1)
    expect(await readdir(folder)).to.have.length(1)
    expect(await memory.clear()).to.equal(1)
    expect(await readdir(folder)).to.deep.equal([])
  })

  it('deletes only files of its examples for any id', async () => {
    const memory = open()
    await memory.add(blocks)
    await writeFile(join(root, 'mine.json'), '{}')
    expect(await memory.delete('../mine')).to.equal(false)
    expect(await readdir(root)).to.include('mine.json')
  })

  it('ignores partial files and invalid examples', async () => {
    const memory = open()
    await memory.add(blocks)
    await writeFile(join(folder, '0123456789abcdef.json'), '{"id":"0123456789abc')
    await writeFile(join(folder, 'fedcba9876543210.json'), '{"id":"0123456789abcdef"}')
    await writeFile(join(folder, '0000000000000000.json.1a2b3c4d.new'), '{')
    expect(await open().list()).to.have.length(1)
    expect(await readdir(folder)).to.have.length(4)
  })

  it('reports an unusable folder and recovers when the folder is valid', async () => {
    await writeFile(folder, 'a file')
    const memory = open()
    for (const act of [
      () => memory.add(blocks),
      () => memory.list(),
      () => memory.search('indexer', 'blocks', 3),
      () => memory.delete('0123456789abcdef'),
    ]) {
      const refused = await act().then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(refused).to.be.instanceOf(ApiError).that.includes({ status: 503, code: 'memory-unavailable' })
      expect((refused as ApiError).message)
        .to.include('ENOTDIR')
        .and.include('CHROMA_PERSIST_DIR')
    }
    await rm(folder)
    expect((await memory.add(blocks)).question).to.equal(blocks.question)
    expect(await memory.list()).to.have.length(1)
  })

  it('stores all concurrent approvals', async () => {
    const memory = open()
    await Promise.all(Array.from({ length: 20 }, (_, i) => memory.add({ ...blocks, question: `Question ${i}` })))
    expect(await memory.list()).to.have.length(20)
  })

  it('rejects new examples when it is full but still replaces existing ones', async () => {
    const memory = new AgentMemory({ folder: new PairFolder(folder, pino({ level: 'silent' })), maxPairs: 1 })
    await memory.add(blocks)
    const refused = await memory.add(holders).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(refused).to.be.instanceOf(ApiError).that.includes({ status: 409, code: 'memory-full' })
    expect((await memory.add({ ...blocks, sql: 'SELECT 3' })).sql).to.equal('SELECT 3')
  })
})
