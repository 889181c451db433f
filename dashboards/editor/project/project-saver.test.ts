import { expect } from 'chai'
import fc from 'fast-check'
import { ApiProblem } from '../../kit/api.ts'
import type { OpenedProject, SaveAnswer, SaveRequest } from '../types.ts'
import { withFile, withoutPath } from './file-tree.ts'
import { newProject, ProjectStore } from './project-state.ts'
import { ProjectSaver } from './project-saver.ts'

const byPath = ([one]: readonly [string, string], [other]: readonly [string, string]): number => (one < other ? -1 : 1)

/**
 * An in-memory service with one project and the real semantics: versions, save ids, and unnamed
 * files stay unchanged.
 */
class Service {
  files = new Map<string, string>()
  version = 0
  readonly answered = new Map<string, SaveAnswer>()
  readonly requested: SaveRequest[] = []
  /** Outcomes of the next saves: done and acknowledged, done without a response, or not done. */
  fates: ('answered' | 'unanswered' | 'lost' | 'refused')[] = []

  save(request: SaveRequest): Promise<SaveAnswer> {
    this.requested.push(request)
    const fate = this.fates.shift() ?? 'answered'
    if (fate === 'refused') return Promise.reject(new ApiProblem(413, 'QUOTA', 'This file is too large.'))
    if (fate === 'lost') return Promise.reject(new ApiProblem(0, 'no-answer', 'No response.'))
    const known = this.answered.get(request.save_id)
    if (known === undefined && request.id !== undefined && request.version !== this.version)
      return Promise.reject(new ApiProblem(409, 'CONFLICT', 'stale'))
    const answer = known ?? this.write(request)
    return fate === 'unanswered'
      ? Promise.reject(new ApiProblem(0, 'no-answer', 'No response.'))
      : Promise.resolve(answer)
  }

  write({
    save_id: saveId,
    files,
    deleted_files: deleted,
  }: Pick<SaveRequest, 'save_id' | 'files' | 'deleted_files'>): SaveAnswer {
    for (const path of deleted) this.files.delete(path)
    for (const { path, content } of files) this.files.set(path, content)
    const answer = { id: 'i', slug: 's', version: ++this.version, updated_at: '' }
    this.answered.set(saveId, answer)
    return answer
  }

  read(): Promise<OpenedProject> {
    return Promise.resolve({
      project: {
        id: 'i',
        slug: 's',
        version: this.version,
        name: 'Untitled',
        network: 'testnet',
        is_public: false,
        updated_at: '',
        isOwner: true,
        active_file: null,
        open_files: [],
        folders: [],
      },
      files: [...this.files].map(([path, content]) => ({ path, content })),
    })
  }
}

interface TestProject {
  readonly service: Service
  readonly store: ProjectStore
  readonly saver: ProjectSaver
  readonly delays: number[]
  readonly pass: () => Promise<void>
}

function begin(): TestProject {
  const service = new Service()
  const store = new ProjectStore(newProject('testnet'))
  const waiting = new Set<() => void>()
  const delays: number[] = []
  let ids = 0
  const saver = new ProjectSaver({
    store,
    save: (request) => service.save(request),
    read: () => service.read(),
    newId: () => `save-${++ids}`,
    schedule: (run, ms) => {
      delays.push(ms)
      waiting.add(run)
      return () => waiting.delete(run)
    },
  })
  saver.setOn(true)
  /** Fires the pending timers once. */
  const pass = async (): Promise<void> => {
    const due = [...waiting]
    waiting.clear()
    for (const run of due) run()
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
  }
  return { service, store, saver, delays, pass }
}

const edit = (store: ProjectStore, path: string, text: string): void =>
  store.change((state) => withFile(state, path, text))

describe('saving a project', () => {
  it('waits for a change, and sends changed files only', async () => {
    const { service, store, saver, pass } = begin()
    await pass()
    expect([service.requested.length, saver.state.is]).to.deep.equal([0, 'local'])
    edit(store, 'a.cdc', '1')
    await pass()
    expect(service.requested[0]?.files.length).to.equal(4)
    edit(store, 'a.cdc', '2')
    expect(saver.state.is).to.equal('unsaved')
    store.change((state) => withoutPath(state, 'scripts'))
    await pass()
    expect(service.requested[1]).to.deep.include({
      id: 'i',
      version: 1,
      files: [{ path: 'a.cdc', content: '2' }],
      deleted_files: ['scripts/add.cdc'],
    })
    expect(saver.state.is).to.equal('saved')
  })

  it('repeats an unacknowledged save unchanged, then sends later changes', async () => {
    const { service, store, saver, delays, pass } = begin()
    edit(store, 'a.cdc', '1')
    service.fates = ['unanswered', 'lost']
    await pass()
    expect(saver.state).to.deep.include({ is: 'failed', willRetry: true })
    edit(store, 'a.cdc', '2')
    await pass()
    await pass()
    expect(delays.slice(-3)).to.deep.equal([2000, 4000, 2000])
    await pass()
    expect(service.requested.map(({ save_id: id }) => id)).to.deep.equal(['save-1', 'save-1', 'save-1', 'save-2'])
    expect([service.version, service.files.get('a.cdc'), saver.state.is]).to.deep.equal([2, '2', 'saved'])
  })

  it('reports a rejection, and retries after the next change', async () => {
    const { service, store, saver, pass } = begin()
    edit(store, 'a.cdc', '1')
    service.fates = ['refused']
    await pass()
    expect(saver.state).to.deep.equal({ is: 'failed', reason: 'This file is too large.', willRetry: false })
    await pass()
    expect(service.requested.length).to.equal(1)
    edit(store, 'a.cdc', '2')
    await pass()
    expect(service.files.get('a.cdc')).to.equal('2')
  })

  it('merges remote changes of other files, and reports conflicts', async () => {
    const { service, store, saver, pass } = begin()
    edit(store, 'a.cdc', '1')
    await pass()
    service.write({ save_id: 'x', files: [{ path: 'b.cdc', content: 'theirs' }], deleted_files: [] })
    edit(store, 'a.cdc', '2')
    await pass()
    await pass()
    expect([store.state.files.get('b.cdc'), service.files.get('a.cdc'), saver.state.is]).to.deep.equal([
      'theirs',
      '2',
      'saved',
    ])
    service.write({ save_id: 'y', files: [{ path: 'a.cdc', content: 'theirs' }], deleted_files: [] })
    edit(store, 'a.cdc', '3')
    await pass()
    const { state } = saver
    if (state.is !== 'conflict') throw new Error(state.is)
    expect(saver.mergeWith(state.theirs).conflicts).to.deep.equal([{ path: 'a.cdc', mine: '3', theirs: 'theirs' }])
    edit(store, 'a.cdc', '4')
    await pass()
    expect(service.files.get('a.cdc')).to.equal('theirs')
    await saver.resolve(state.theirs, new Map(store.state.files).set('a-2.cdc', 'theirs'))
    expect([service.files.get('a.cdc'), service.files.get('a-2.cdc'), saver.state.is]).to.deep.equal([
      '4',
      'theirs',
      'saved',
    ])
  })

  it('pauses while signed out', async () => {
    const { service, store, saver, pass } = begin()
    saver.setOn(false)
    edit(store, 'a.cdc', '1')
    await pass()
    expect([service.requested.length, saver.state.is]).to.deep.equal([0, 'local'])
    saver.setOn(true)
    await pass()
    expect(service.files.get('a.cdc')).to.equal('1')
    saver.setOn(false)
    edit(store, 'a.cdc', '2')
    expect(saver.state).to.deep.equal({
      is: 'failed',
      reason: 'You are signed out. Sign in to save.',
      willRetry: false,
    })
  })

  it('converges with the service, whatever happens to responses', async () => {
    const step = fc.record({
      path: fc.constantFrom('a', 'b'),
      text: fc.string({ maxLength: 2 }),
      fates: fc.array(fc.constantFrom('answered', 'unanswered', 'lost', 'refused'), { maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { service, store, saver, pass } = begin()
        for (const { path, text, fates } of steps) {
          edit(store, path, text)
          service.fates = [...fates]
          await pass()
        }
        service.fates = []
        edit(store, 'last', 'x')
        for (let at = 0; at < 6; at++) await pass()
        expect(saver.state.is).to.equal('saved')
        expect([...service.files].sort(byPath)).to.deep.equal([...store.state.files].sort(byPath))
        expect(service.version).to.equal(new Set(service.answered.keys()).size)
      }),
      { numRuns: 200 },
    )
  })
})
