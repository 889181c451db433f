import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createProjectAccess } from '../../../src/editor/projects/read-projects.ts'
import { file, dataOf, ProjectWorld } from './support/project-world.ts'
import type { ListResult, TestUser, SaveResult } from './support/project-world.ts'

describe('project operations', () => {
  let world: ProjectWorld
  let owner: TestUser
  let otherUser: TestUser
  before(async () => {
    world = await ProjectWorld.create()
  })
  after(() => world.stop())
  beforeEach(() => {
    owner = world.testUser()
    otherUser = world.testUser()
  })

  const make = (isPublic: boolean, by = owner): Promise<SaveResult> =>
    world.save(by, {
      name: 'My Token',
      network: 'testnet',
      is_public: isPublic,
      active_file: 'main.cdc',
      open_files: ['main.cdc', 'contracts/Token.cdc'],
      folders: ['tests'],
      files: [file('main.cdc'), file('contracts/Token.cdc', '合约 😀\r\n"\\')],
    })

  it('store a project unchanged', async () => {
    const saved = await make(false)
    expect(saved).to.include({ version: 1, file_count: 2, byte_count: 8 + Buffer.byteLength('合约 😀\r\n"\\') })
    expect(saved.slug).to.match(/^my-token-[a-z2-9]{10}$/)
    const { project, files } = await world.get(owner, saved.slug)
    const { created_at: createdAt, ...rest } = project
    expect(rest).to.deep.equal({
      ...saved,
      name: 'My Token',
      network: 'testnet',
      is_public: false,
      active_file: 'main.cdc',
      side_file: null,
      open_files: ['main.cdc', 'contracts/Token.cdc'],
      folders: ['tests'],
      forked_from: null,
      isOwner: true,
      user_id: owner.userId,
    })
    expect(new Date(String(createdAt)).toISOString()).to.equal(createdAt)
    expect(files).to.deep.equal([
      { path: 'contracts/Token.cdc', content: '合约 😀\r\n"\\', version: 1 },
      { path: 'main.cdc', content: 'main.cdc', version: 1 },
    ])
  })

  it('show a private project to its owner only, and respond 404 to others', async () => {
    const { slug, id } = await make(false)
    const none = await world.call(otherUser, '/projects/get', { slug: 'nothing-here' })
    expect([none.status, none.error.code]).to.deep.equal([404, 'NOT_FOUND'])
    for (const by of [otherUser, undefined]) {
      for (const endpoint of by === undefined ? ['/projects/get'] : ['/projects/get', '/projects/fork']) {
        const answer = await world.call(by, endpoint, { slug })
        expect([answer.status, answer.error]).to.deep.equal([404, none.error])
      }
    }
    const gone = randomUUID()
    for (const [endpoint, data] of [
      ['/projects/save', { version: 1, files: [file('main.cdc', 'mine now')] }],
      ['/projects/save', { version: 7 }],
      ['/projects/delete', {}],
    ] as const) {
      const answers = await Promise.all([id, gone].map((one) => world.call(otherUser, endpoint, { id: one, ...data })))
      for (const { status, error } of answers) expect([status, error]).to.deep.equal([404, none.error])
    }
    expect(await world.contents(owner, slug)).to.include({ 'main.cdc': 'main.cdc' })
  })

  it('let everyone read a public project, and only its owner change it', async () => {
    const { slug, id } = await make(true)
    for (const by of [otherUser, undefined]) {
      const { project, files } = await world.get(by, slug)
      expect(project).to.include({ id, isOwner: false, is_public: true }).and.not.have.property('user_id')
      expect(JSON.stringify(project)).to.not.include(owner.userId)
      expect(files).to.have.length(2)
    }
    for (const [endpoint, data] of [
      ['/projects/save', { id, version: 1, name: 'x' }],
      ['/projects/delete', { id }],
      ['/projects/delete', { id, version: 1 }],
    ] as const) {
      expect((await world.call(otherUser, endpoint, data)).status, endpoint).to.equal(404)
    }
    expect((await world.get(owner, slug)).project).to.include({ name: 'My Token', version: 1 })
  })

  it('require sign-in for everything but reading', async () => {
    const { id, slug } = await make(true)
    for (const [endpoint, data] of [
      ['/projects/list', {}],
      ['/projects/save', { name: 'a' }],
      ['/projects/save', { id, version: 1 }],
      ['/projects/delete', { id }],
      ['/projects/fork', { slug }],
    ] as const) {
      for (const by of [undefined, { token: 'forged' }]) {
        const { status, error, headers } = await world.call(by, endpoint, data)
        expect([status, error.code, headers.get('WWW-Authenticate')], endpoint).to.deep.equal([
          401,
          'UNAUTHORIZED',
          'Bearer realm="flowfarm"',
        ])
      }
    }
    expect((await world.call({ token: 'old' }, '/projects/get', { slug })).status).to.equal(401)
  })

  it('list the projects of the user in pages, last saved first', async () => {
    await make(true, otherUser)
    const made: SaveResult[] = []
    for (let i = 0; i < 7; i++) made.push(await world.save(owner, { name: `p${i}`, files: [file('a', '123')] }))
    await world.save(owner, { id: made[2]?.id, version: 1, name: 'p2 again' })
    const names: string[] = []
    const pages: number[] = []
    let cursor: string | null = null
    do {
      const page: ListResult = dataOf(await world.call<ListResult>(owner, '/projects/list', { limit: 3, cursor }))
      names.push(...page.projects.map(({ name }) => name))
      pages.push(page.projects.length)
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(names).to.deep.equal(['p2 again', 'p6', 'p5', 'p4', 'p3', 'p1', 'p0'])
    expect(pages).to.deep.equal([3, 3, 1])
    const whole = dataOf(await world.call<ListResult>(owner, '/projects/list'))
    expect(whole.next_cursor).to.equal(null)
    expect(whole.projects[1]).to.deep.include({
      name: 'p6',
      slug: made[6]?.slug,
      network: 'mainnet',
      is_public: false,
      file_count: 1,
      byte_count: 3,
      version: 1,
      forked_from: null,
    })
    expect(whole.projects[1]).to.not.have.any.keys('files', 'user_id', 'micros')
    expect(dataOf(await world.call<ListResult>(world.testUser(), '/projects/list')).projects).to.deep.equal([])
  })

  it('paginate over projects saved in the same microsecond', async () => {
    for (let i = 0; i < 5; i++) await world.save(owner, { name: `p${i}` })
    await world.database.pool.query(
      `update projects.projects set updated_at = '2026-01-01 00:00:00.123457Z' where user_id = $1`,
      [owner.userId],
    )
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const page: ListResult = dataOf(await world.call<ListResult>(owner, '/projects/list', { limit: 1, cursor }))
      ids.push(...page.projects.map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(new Set(ids).size).to.equal(5)
    expect(ids).to.have.length(5)
  })

  it('delete a project with its files, if the version matches', async () => {
    const { id, slug } = await make(false)
    const stale = await world.call(owner, '/projects/delete', { id, version: 2 })
    expect([stale.status, stale.error.code, stale.error['yours']]).to.deep.equal([409, 'CONFLICT', { version: 2 }])
    expect(stale.error['current']).to.include({ version: 1 })
    expect(dataOf(await world.call(owner, '/projects/delete', { id, version: 1 }))).to.deep.equal({ deleted: true })
    expect((await world.call(owner, '/projects/get', { slug })).status).to.equal(404)
    expect((await world.call(owner, '/projects/delete', { id })).status).to.equal(404)
    expect(
      (await world.database.pool.query('select from projects.files where project_id = $1', [id])).rowCount,
    ).to.equal(0)
  })

  it('copy public and own projects to a private project', async () => {
    const original = await make(true)
    const copy = dataOf(await world.call<SaveResult>(otherUser, '/projects/fork', { slug: original.slug }))
    expect(copy.slug).to.match(/^fork-of-my-token-[a-z2-9]{10}$/)
    expect((await world.call(owner, '/projects/get', { slug: copy.slug })).status).to.equal(404)
    const { project, files } = await world.get(otherUser, copy.slug)
    expect(project).to.deep.include({
      name: 'Fork of My Token',
      version: 1,
      is_public: false,
      network: 'testnet',
      active_file: 'main.cdc',
      folders: ['tests'],
      file_count: 2,
      isOwner: true,
      forked_from: { id: original.id, slug: original.slug, name: 'My Token' },
    })
    expect(files).to.deep.equal((await world.get(owner, original.slug)).files)
    await world.save(otherUser, { id: copy.id, version: 1, files: [file('main.cdc', 'changed')] })
    expect(await world.contents(owner, original.slug)).to.include({ 'main.cdc': 'main.cdc' })
    const mine = await make(false)
    const again = dataOf(await world.call<SaveResult>(owner, '/projects/fork', { slug: mine.slug }))
    expect((await world.get(owner, again.slug)).project.forked_from).to.include({ id: mine.id })
  })

  it('show the origin of a copy while it is visible', async () => {
    const original = await make(true)
    const copy = dataOf(await world.call<SaveResult>(otherUser, '/projects/fork', { slug: original.slug }))
    await world.save(otherUser, { id: copy.id, version: 1, is_public: true })
    await world.save(owner, { id: original.id, version: 1, is_public: false })
    expect((await world.get(otherUser, copy.slug)).project.forked_from).to.equal(null)
    expect((await world.get(undefined, copy.slug)).project.forked_from).to.equal(null)
    expect((await world.get(owner, copy.slug)).project.forked_from).to.include({ slug: original.slug })
    expect(JSON.stringify(dataOf(await world.call(otherUser, '/projects/list')))).to.not.include(original.slug)
    expect((await world.call(otherUser, '/projects/fork', { slug: original.slug })).status).to.equal(404)
    dataOf(await world.call(owner, '/projects/delete', { id: original.id }))
    expect(await world.contents(otherUser, copy.slug)).to.have.property('main.cdc')
    expect((await world.get(owner, copy.slug)).project.forked_from).to.equal(null)
  })

  it('record the origin of a copy made in the browser before sign-in', async () => {
    const [other, otherUser] = [world.testUser(), world.testUser()]
    const shown = await world.save(other, { name: 'Shown', is_public: true, files: [file('a')] })
    const hidden = await world.save(other, { name: 'Hidden', files: [file('a')] })
    const origin = async (data: Readonly<Record<string, unknown>>): Promise<unknown> =>
      (await world.get(otherUser, (await world.save(otherUser, { name: 'Copy', files: [file('a')], ...data })).slug))
        .project.forked_from
    expect(await origin({ forked_from: shown.slug })).to.deep.equal({ id: shown.id, slug: shown.slug, name: 'Shown' })
    // An invisible origin is treated as missing, even if it becomes visible later.
    expect(await origin({ forked_from: hidden.slug })).to.equal(null)
    expect(await origin({ forked_from: 'nothing-abc123' })).to.equal(null)
    const copy = await world.save(otherUser, { name: 'Copy', forked_from: hidden.slug })
    await world.save(other, { id: hidden.id, version: 1, is_public: true })
    expect((await world.get(otherUser, copy.slug)).project.forked_from).to.equal(null)
    const later = await world.call(otherUser, '/projects/save', { id: copy.id, version: 1, forked_from: shown.slug })
    expect([later.status, later.error['field']]).to.deep.equal([400, 'forked_from'])
    const named = { save_id: crypto.randomUUID(), name: 'Copy', forked_from: shown.slug }
    expect((await world.save(otherUser, named)).id).to.equal((await world.save(otherUser, named)).id)
    expect((await world.call(otherUser, '/projects/save', { ...named, forked_from: undefined })).error.code).to.equal(
      'SAVE_ID_REUSED',
    )
  })

  it('return the visibility of a project to other services', async () => {
    const access = createProjectAccess(world.database.pool)
    const [open, closed] = [await make(true), await make(false)]
    const seen = (id: string, isPublic: boolean): unknown => ({ id, ownerId: owner.userId, isPublic })
    expect(await access.find(closed.id, owner.userId)).to.deep.equal(seen(closed.id, false))
    expect(await access.find(open.id, undefined)).to.deep.equal(seen(open.id, true))
    expect(await access.find(open.id, otherUser.userId)).to.deep.equal(seen(open.id, true))
    for (const userId of [otherUser.userId, undefined, '', 'not a uuid'])
      expect(await access.find(closed.id, userId)).to.equal(undefined)
    for (const id of ['', 'x', `${open.id} `, '\0', randomUUID()])
      expect(await access.find(id, owner.userId)).to.equal(undefined)
  })
})
