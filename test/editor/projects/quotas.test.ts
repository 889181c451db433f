import { expect } from 'chai'
import { projectLimits } from '../../../src/editor/projects/project-quotas.ts'
import { file, dataOf, ProjectWorld, quotas } from './support/project-world.ts'
import type { ListResult, TestUser, SaveResult } from './support/project-world.ts'

describe('project quotas', () => {
  let world: ProjectWorld
  let owner: TestUser
  before(async () => {
    world = await ProjectWorld.create({ quotas: { projects: 3, files: 4, fileBytes: 1000, projectBytes: 2500 } })
  })
  after(() => world.stop())
  beforeEach(() => {
    owner = world.testUser()
  })

  const refused = async (
    data: unknown,
    facts: Readonly<Record<string, unknown>>,
    endpoint = '/projects/save',
  ): Promise<void> => {
    const { status, error } = await world.call(owner, endpoint, data)
    expect([status, error.code]).to.deep.equal([422, 'QUOTA_EXCEEDED'])
    expect(error).to.include(facts)
    expect(error.message).to.include(String(facts['max']))
  }

  it('bound the projects per user, also for concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => world.call<SaveResult>(owner, '/projects/save', { name: `p${i}` })),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(3)
    expect(answers.filter(({ error }) => error?.code === 'QUOTA_EXCEEDED')).to.have.length(9)
    const { projects } = dataOf(await world.call<ListResult>(owner, '/projects/list'))
    expect(projects).to.have.length(3)
    await refused({ slug: String(projects[0]?.['slug']) }, { quota: 'projects', max: 3, asked: 4 }, '/projects/fork')
    dataOf(await world.call(owner, '/projects/delete', { id: projects[0]?.id }))
    await world.save(owner, { name: 'in its place' })
    await world.save(world.testUser(), { name: 'of another user' })
  })

  it('bound the files per project, also for concurrent saves', async () => {
    const { id, slug } = await world.save(owner, { name: 'p', files: [file('a'), file('b')] })
    await refused({ id, version: 1, files: [file('c'), file('d'), file('e')] }, { quota: 'files', max: 4, asked: 5 })
    await refused(
      { name: 'p', files: ['a', 'b', 'c', 'd', 'e'].map((path) => file(path)) },
      { quota: 'files', max: 4, asked: 5 },
    )
    await world.save(owner, { id, version: 1, files: [file('c'), file('d'), file('e')], deleted_files: ['a'] })
    await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        world.call(owner, '/projects/save', {
          id,
          version: 2,
          files: [file(`x${i}`)],
          deleted_files: [['b', 'c'][i % 2]],
        }),
      ),
    )
    expect(Object.keys(await world.contents(owner, slug))).to.have.length(4)
  })

  it('bound the folders per project, which have no bytes', async () => {
    const five = ['f1', 'f2', 'f3', 'f4', 'f5']
    await refused({ name: 'p', folders: five }, { quota: 'folders', max: 4, asked: 5 })
    const { id, slug } = await world.save(owner, { name: 'p', folders: [...five.slice(0, 4), 'f1'] })
    await refused({ id, version: 1, folders: five }, { quota: 'folders', max: 4, asked: 5 })
    const { pool } = world.database
    await pool.query('update projects.projects set folders = $2 where id = $1', [id, five])
    await world.save(owner, { id, version: 1, name: 'more than may be' })
    await world.save(owner, { id, version: 2, folders: five.toReversed() })
    expect((await world.get(owner, slug)).project.folders).to.have.length(5)
    await refused({ slug }, { quota: 'folders', max: 4, asked: 5 }, '/projects/fork')
  })

  it('bound the UTF-8 bytes of a file and a project', async () => {
    const { id } = await world.save(owner, { name: 'p', files: [file('a', 'é'.repeat(500))] })
    await refused(
      { id, version: 1, files: [file('b', `${'é'.repeat(500)}x`)] },
      { quota: 'file_bytes', max: 1000, asked: 1001, path: 'b' },
    )
    await world.save(owner, { id, version: 1, files: [file('b', 'x'.repeat(1000))] })
    await refused(
      { id, version: 2, files: [file('c', 'x'.repeat(501))] },
      { quota: 'project_bytes', max: 2500, asked: 2501 },
    )
    await world.save(owner, { id, version: 2, files: [file('c', 'x'.repeat(501))], deleted_files: ['a'] })
  })

  it('let an oversized project shrink', async () => {
    const { id, slug } = await world.save(owner, {
      name: 'p',
      is_public: true,
      files: [file('a', 'x'.repeat(1000)), file('b', 'y'.repeat(900))],
    })
    const { pool } = world.database
    const lowered = await ProjectWorld.create({
      pool,
      quotas: { projects: 1, files: 1, fileBytes: 500, projectBytes: 1000 },
      authenticate: async () => ({ userId: owner.userId }),
    })
    try {
      const call = (endpoint: string, data: unknown): ReturnType<ProjectWorld['call']> =>
        lowered.call(owner, endpoint, data)
      expect(
        (await call('/projects/save', { id, version: 1, files: [file('b', 'y'.repeat(901))] })).error.code,
      ).to.equal('QUOTA_EXCEEDED')
      expect((await call('/projects/save', { id, version: 1, files: [file('c')] })).error.code).to.equal(
        'QUOTA_EXCEEDED',
      )
      expect((await call('/projects/fork', { slug })).error.code).to.equal('QUOTA_EXCEEDED')
      expect(
        dataOf(
          await call('/projects/save', {
            id,
            version: 1,
            name: 'same size',
            files: [file('a', 'z'.repeat(1000)), file('b', 'y'.repeat(900))],
          }),
        ),
      ).to.include({ version: 2 })
      expect(dataOf(await call('/projects/save', { id, version: 2, deleted_files: ['a'] }))).to.include({
        version: 3,
        byte_count: 900,
      })
    } finally {
      await lowered.stop()
    }
  })

  it('are published to pages with the path rules', () => {
    expect(projectLimits(quotas)).to.deep.include({
      projects: 20,
      files: 10,
      folders: 10,
      file_bytes: 1000,
      project_bytes: 5000,
    })
    expect(JSON.parse(JSON.stringify(projectLimits(quotas))))
      .to.have.nested.property('paths.reserved_folders')
      .that.deep.equals(['deps', 'imports', '_'])
  })
})
