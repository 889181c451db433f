import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import { file, dataOf, ProjectWorld } from './support/project-world.ts'
import type { ProjectResult, TestUser, SaveResult } from './support/project-world.ts'

interface Conflict {
  readonly current: Readonly<Record<string, unknown>> & {
    readonly version: number
    readonly files: readonly { readonly path: string; readonly version: number; readonly content?: string }[]
  }
  readonly yours: {
    readonly version: number
    readonly files: readonly { readonly path: string; readonly content: string }[]
    readonly deleted_files: readonly string[]
  }
}

describe('project saves', () => {
  let world: ProjectWorld
  let owner: TestUser
  before(async () => {
    world = await ProjectWorld.create()
  })
  after(() => world.stop())
  beforeEach(() => {
    owner = world.testUser()
  })

  const make = (): Promise<SaveResult> =>
    world.save(owner, {
      name: 'p',
      active_file: 'a',
      side_file: 'b',
      open_files: ['a', 'b'],
      folders: ['empty'],
      files: [file('a'), file('b'), file('dir/c')],
    })

  it('leave unnamed files and fields unchanged', async () => {
    const { id, slug } = await make()
    const second = await world.save(owner, { id, version: 1, files: [file('b', 'changed'), file('d')] })
    expect(second).to.include({ id, slug, version: 2, file_count: 4, byte_count: 1 + 7 + 5 + 1 })
    const { project, files } = await world.get(owner, slug)
    expect(files).to.deep.equal([
      { path: 'a', content: 'a', version: 1 },
      { path: 'b', content: 'changed', version: 2 },
      { path: 'd', content: 'd', version: 2 },
      { path: 'dir/c', content: 'dir/c', version: 1 },
    ])
    expect(project).to.deep.include({
      name: 'p',
      network: 'mainnet',
      is_public: false,
      active_file: 'a',
      side_file: 'b',
      open_files: ['a', 'b'],
      folders: ['empty'],
      version: 2,
    })
    await world.save(owner, {
      id,
      version: 2,
      name: 'q',
      network: 'emulator',
      is_public: true,
      active_file: null,
      side_file: null,
      open_files: [],
      folders: [],
    })
    const after = await world.get(undefined, slug)
    expect(after.project).to.deep.include({
      name: 'q',
      network: 'emulator',
      is_public: true,
      active_file: null,
      side_file: null,
      open_files: [],
      folders: [],
      version: 3,
    })
    expect(after.files).to.deep.equal(files)
  })

  it('delete the listed files and their tabs', async () => {
    const { id, slug } = await make()
    const { file_count: count } = await world.save(owner, {
      id,
      version: 1,
      deleted_files: ['a', 'never there', '../x'],
    })
    expect(count).to.equal(2)
    expect(await world.contents(owner, slug)).to.deep.equal({ b: 'b', 'dir/c': 'dir/c' })
    expect((await world.get(owner, slug)).project).to.deep.include({
      active_file: null,
      side_file: 'b',
      open_files: ['b'],
    })
  })

  it('rename in one step, also when only the case changes', async () => {
    const { id, slug } = await make()
    await world.save(owner, { id, version: 1, deleted_files: ['a'], files: [file('new/a', 'a')] })
    await world.save(owner, {
      id,
      version: 2,
      deleted_files: ['b'],
      files: [file('B', 'b')],
      open_files: ['B', 'new/a', 'B', 'gone'],
    })
    expect(await world.contents(owner, slug)).to.deep.equal({ B: 'b', 'dir/c': 'dir/c', 'new/a': 'a' })
    expect((await world.get(owner, slug)).project).to.deep.include({ open_files: ['B', 'new/a'], file_count: 3 })
    // A folder in another case with all its files, then a file in place of the folder.
    await world.save(owner, { id, version: 3, deleted_files: ['dir/c'], files: [file('Dir/c')] })
    await world.save(owner, { id, version: 4, deleted_files: ['Dir/c'], files: [file('dir')] })
    expect(Object.keys(await world.contents(owner, slug))).to.deep.equal(['B', 'dir', 'new/a'])
  })

  it('do not change the version without changes', async () => {
    const first = await make()
    const same = await world.save(owner, {
      id: first.id,
      version: 1,
      name: 'p',
      files: [file('a'), file('b')],
      folders: ['empty'],
      slug: 'i-want-this',
    })
    expect(same).to.deep.equal(first)
    const named = await world.save(owner, { id: first.id, version: 1, save_id: randomUUID(), files: [file('a')] })
    expect(named).to.deep.equal(first)
  })

  it('are rejected with both versions after a concurrent change', async () => {
    const { id, slug } = await make()
    await world.save(owner, {
      id,
      version: 1,
      name: 'theirs',
      files: [file('a', 'theirs'), file('e', 'new')],
      deleted_files: ['b'],
    })
    const stale = await world.call(owner, '/projects/save', {
      id,
      version: 1,
      name: 'mine',
      files: [file('a', 'mine'), file('b', 'mine'), file('dir/c'), file('f', 'mine')],
      deleted_files: ['e'],
    })
    expect([stale.status, stale.error.code]).to.deep.equal([409, 'CONFLICT'])
    const { current, yours } = stale.error as unknown as Conflict
    expect(current).to.include({ version: 2, name: 'theirs' })
    expect(current.files).to.deep.equal([
      { path: 'a', version: 2, content: 'theirs' },
      { path: 'dir/c', version: 1, content: 'dir/c' },
      { path: 'e', version: 2, content: 'new' },
    ])
    expect(yours).to.deep.equal({
      version: 1,
      files: [file('a', 'mine'), file('b', 'mine'), file('f', 'mine')],
      deleted_files: ['e'],
    })
    expect(await world.contents(owner, slug)).to.deep.equal({ a: 'theirs', 'dir/c': 'dir/c', e: 'new' })
    const future = await world.call(owner, '/projects/save', { id, version: 9, files: [file('a', 'x')] })
    expect([future.status, future.error.code]).to.deep.equal([409, 'CONFLICT'])
    await world.save(owner, { id, version: current.version, files: [file('a', 'both')] })
    expect(await world.contents(owner, slug)).to.include({ a: 'both' })
  })

  it('that race run one after the other; only one succeeds', async () => {
    const { id, slug } = await make()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        world.call<SaveResult>(owner, '/projects/save', {
          id,
          version: 1,
          files: [file('a', `writer ${i}`), file(`own ${i}`)],
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).to.have.members([200, ...Array<number>(9).fill(409)])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect(await world.contents(owner, slug)).to.deep.equal({
      a: `writer ${winner}`,
      b: 'b',
      'dir/c': 'dir/c',
      [`own ${winner}`]: `own ${winner}`,
    })
    for (const { status, error } of answers) {
      if (status === 409)
        expect((error as unknown as Conflict).current.files[0]).to.deep.equal({
          path: 'a',
          version: 2,
          content: `writer ${winner}`,
        })
    }
  })

  it('lose no changes of clients that race and retry', async () => {
    const { id, slug } = await make()
    const count = 6
    await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        let version = 1
        for (;;) {
          const answer = await world.call<SaveResult>(owner, '/projects/save', {
            id,
            version,
            save_id: randomUUID(),
            files: [file(`by ${i}`)],
          })
          if (answer.status === 200) return
          expect(answer.status).to.equal(409)
          version = (answer.error as unknown as Conflict).current.version
        }
      }),
    )
    const { project, files } = await world.get(owner, slug)
    expect([project.version, files.length]).to.deep.equal([1 + count, 3 + count])
  })

  it('are idempotent by save id', async () => {
    const create = { save_id: randomUUID(), name: 'once', files: [file('a')] }
    const [first, ...more] = await Promise.all(Array.from({ length: 5 }, () => world.save(owner, create)))
    for (const other of more) expect(other).to.deep.equal(first)
    const { id = '', slug = '' } = first ?? {}
    const change = { id, version: 1, save_id: randomUUID(), files: [file('a', 'second')] }
    const second = await world.save(owner, change)
    expect(second.version).to.equal(2)
    const { rows } = await world.database.pool.query(
      'select s.saved_at = p.updated_at as same from projects.saves s join projects.projects p on p.id = s.project_id where s.save_id = $1',
      [change.save_id],
    )
    expect(rows, 'the time of the first response is returned again').to.deep.equal([{ same: true }])
    expect(await world.save(owner, { ...change, save_id: change.save_id.toUpperCase() })).to.deep.equal(second)
    await world.save(owner, { id, version: 2, save_id: randomUUID(), files: [file('a', 'third')] })
    expect(await world.save(owner, change)).to.include({ version: 2 })
    expect(await world.contents(owner, slug)).to.deep.equal({ a: 'third' })
    const raced = { id, version: 3, save_id: randomUUID(), files: [file('a', 'fourth')] }
    for (const { version } of await Promise.all(Array.from({ length: 5 }, () => world.save(owner, raced))))
      expect(version).to.equal(4)
    const fork = { slug, save_id: randomUUID() }
    const forks = await Promise.all(
      Array.from({ length: 3 }, () => world.call<SaveResult>(owner, '/projects/fork', fork)),
    )
    expect(new Set(forks.map((one) => dataOf(one).id)).size).to.equal(1)
    expect(dataOf(await world.call<{ projects: unknown[] }>(owner, '/projects/list')).projects).to.have.length(2)
  })

  it('reject a reused save id, which is private to its user', async () => {
    const saveId = randomUUID()
    const { id } = await world.save(owner, { save_id: saveId, name: 'one' })
    for (const data of [
      { save_id: saveId, name: 'two' },
      { id, version: 1, save_id: saveId, name: 'two' },
      { id, version: 9, save_id: saveId },
      { id, version: 1, save_id: saveId },
    ]) {
      const { status, error } = await world.call(owner, '/projects/save', data)
      expect([status, error.code], JSON.stringify(data)).to.deep.equal([422, 'SAVE_ID_REUSED'])
    }
    const other = world.testUser()
    expect((await world.save(other, { save_id: saveId, name: 'one' })).id).to.not.equal(id)
    await world.call(owner, '/projects/delete', { id })
    expect((await world.call(owner, '/projects/save', { save_id: saveId, name: 'one' })).status).to.equal(404)
  })

  it('expire their save ids after a day', async () => {
    const create = { save_id: randomUUID(), name: 'once' }
    const { id } = await world.save(owner, create)
    await world.projectsFunction.prune()
    expect((await world.save(owner, create)).id).to.equal(id)
    await world.database.pool.query(
      `update projects.saves set saved_at = saved_at - interval '25 hours' where user_id = $1`,
      [owner.userId],
    )
    await world.projectsFunction.prune()
    expect((await world.save(owner, create)).id).to.not.equal(id)
  })

  it('are atomic', async () => {
    const { id, slug } = await make()
    const before = await world.get(owner, slug)
    const refusedAt = ['../x', 'dir', 'A', 'x'.repeat(500)]
    for (const path of refusedAt) {
      expect(
        (
          await world.call(owner, '/projects/save', {
            id,
            version: 1,
            name: 'half',
            deleted_files: ['b'],
            files: [file('a', 'half'), file('z'), file(path)],
          })
        ).status,
        path,
      ).to.equal(422)
    }
    expect(await world.get(owner, slug)).to.deep.equal(before)
    // The database terminates the session mid-save, as in a crash.
    await world.database.pool.query(
      `create function pg_temp_kill() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`,
    )
    await world.database.pool.query(
      `create constraint trigger die after update on projects.projects deferrable initially deferred for each row when (new.name = 'die') execute function pg_temp_kill()`,
    )
    const died = await world.call(owner, '/projects/save', {
      id,
      version: 1,
      name: 'die',
      deleted_files: ['b'],
      files: [file('a', 'half')],
    })
    expect([died.status, died.headers.get('Retry-After')]).to.deep.equal([503, '1'])
    expect(await world.get(owner, slug)).to.deep.equal(before)
    await world.database.pool.query('drop trigger die on projects.projects')
  })

  it('maintain correct totals and exact file contents', async () => {
    const path = fc.constantFrom('a', 'b', 'c', 'x/1', 'x/2', 'ü')
    const change = fc.record({
      write: fc.array(fc.tuple(path, fc.string({ unit: 'grapheme', maxLength: 20 })), { maxLength: 4 }),
      gone: fc.array(path, { maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const by = world.testUser()
        const { id, slug } = await world.save(by, { name: 'model' })
        let version = 1
        const model = new Map<string, string>()
        for (const { write, gone } of changes) {
          const writing = new Map(write.map(([one, text]) => [one, text.replaceAll('\0', '')]))
          const deleting = gone.filter((one) => !writing.has(one))
          const saved = await world.save(by, {
            id,
            version,
            files: [...writing].map(([one, text]) => file(one, text)),
            deleted_files: deleting,
          })
          const before = new Map(model)
          for (const one of deleting) model.delete(one)
          for (const [one, text] of writing) model.set(one, text)
          expect(saved.version).to.equal(isDeepStrictEqual(model, before) ? version : version + 1)
          version = saved.version
          expect([saved.file_count, saved.byte_count]).to.deep.equal([
            model.size,
            [...model.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0),
          ])
        }
        const { files }: ProjectResult = await world.get(by, slug)
        expect(new Map(files.map((one) => [one.path, one.content]))).to.deep.equal(model)
      }),
      { numRuns: 25 },
    )
  })
})
