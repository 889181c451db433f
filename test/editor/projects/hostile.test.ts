import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { RetryableError } from '../../../src/platform/errors.ts'
import { hostileTexts } from '../../support/hostile-texts.ts'
import { file, dataOf, origin, ProjectWorld } from './support/project-world.ts'
import type { TestUser } from './support/project-world.ts'

describe('projects function', () => {
  let world: ProjectWorld
  let owner: TestUser
  before(async () => {
    world = await ProjectWorld.create({
      quotas: { projects: 5000, files: 10_000, fileBytes: 100_000, projectBytes: 1_000_000 },
    })
    owner = world.testUser()
  })
  after(() => world.stop())

  const post = (body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    world.fetch({ method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } })
  const errorOf = async (response: Response): Promise<[number, string]> => [
    response.status,
    ((await response.json()) as { error: { code: string } }).error.code,
  ]

  /** The response to request headers whose body never arrives. */
  const answerTo = async (length: number, headers = ''): Promise<string> => {
    const { hostname, port, pathname } = new URL(world.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}Content-Length: ${length}\r\n\r\n`,
    )
    const [data] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    return data.toString()
  }

  it('names the rejected path and the rule', async () => {
    const { id } = await world.save(owner, { name: 'p', files: [file('Main.cdc')] })
    for (const [path, rule] of [
      ['../../etc/passwd', 'dot-segment'],
      ['/etc/passwd', 'absolute'],
      ['a\\b', 'backslash'],
      ['main.cdc', 'same-path'],
      ['Main.cdc/x', 'file-and-folder'],
      ['a\u202eb', 'hidden-character'],
      ['．．/x', 'look-alike'],
      ['e\u0301', 'not-nfc'],
      ['\ud800', 'broken-text'],
      ['deps/A.cdc', 'reserved-folder'],
      ['x\0', 'hidden-character'],
    ] as const) {
      for (const data of [
        { id, version: 1, files: [file(path, 'x')] },
        ...(rule === 'same-path' ? [] : [{ id, version: 1, folders: [path] }]),
      ]) {
        const { status, error } = await world.call(owner, '/projects/save', data)
        expect([status, error.code, error['rule']], path).to.deep.equal([422, 'INVALID_PATH', rule])
        expect(error['path']).to.equal(path)
        expect(error.message).to.not.match(/[\p{Cc}\p{Cf}\p{Cs}]/u)
      }
    }
    const twice = await world.call(owner, '/projects/save', { name: 'p', files: [file('a'), file('A')] })
    expect([twice.error.code, twice.error['rule'], twice.error['path']]).to.deep.equal([
      'INVALID_PATH',
      'same-path',
      'A',
    ])
    const both = await world.call(owner, '/projects/save', { id, version: 1, files: [file('a')], deleted_files: ['a'] })
    expect([both.error.code, both.error['path']]).to.deep.equal(['INVALID_PATH', 'a'])
  })

  it('accepts any text that the database can store unchanged', async () => {
    const { id, slug } = await world.save(owner, { name: 'p' })
    for (const content of ['a\0b', '\ud800', 'x\udc00']) {
      const { status, error } = await world.call(owner, '/projects/save', {
        id,
        version: 1,
        files: [file('a', content)],
      })
      expect([status, error.code, error['path']]).to.deep.equal([422, 'INVALID_TEXT', 'a'])
    }
    const texts = hostileTexts.filter((text) => text.isWellFormed() && !text.includes('\0'))
    const files = [...texts, '\u0001\u007f\u0085\u2028\ufeff\uffff', '{"a":"\\u0000"}', '{a,b}', 'NULL', '\\x00'].map(
      (text, i) => file(`f${i}`, text),
    )
    await world.save(owner, { id, version: 1, files })
    expect(await world.contents(owner, slug)).to.deep.equal(
      Object.fromEntries(files.map(({ path, content }) => [path, content])),
    )
  })

  it('reports invalid fields with a message, never with an internal error', async () => {
    const { id, slug } = await world.save(owner, { name: 'p', files: [file('a')] })
    const odd: readonly unknown[] = [
      ...hostileTexts,
      null,
      0,
      -1,
      1.5,
      2 ** 31,
      1e300,
      true,
      [],
      {},
      [[]],
      [null],
      [{}],
      [''],
      { length: 1 },
    ]
    const oddLists: readonly unknown[] = hostileTexts.flatMap((text) => [[text], [{ path: text, content: text }]])
    const lists = ['open_files', 'folders', 'files', 'deleted_files']
    const fields: Readonly<Record<string, readonly string[]>> = {
      '/projects/list': ['cursor', 'limit'],
      '/projects/get': ['slug'],
      '/projects/fork': ['slug', 'save_id'],
      '/projects/delete': ['id', 'version'],
      '/projects/save': [
        'id',
        'version',
        'save_id',
        'name',
        'slug',
        'forked_from',
        'network',
        'is_public',
        'active_file',
        'side_file',
        'open_files',
        'folders',
        'files',
        'deleted_files',
      ],
    }
    for (const [endpoint, names] of Object.entries(fields)) {
      for (const name of names) {
        await Promise.all(
          [...odd, ...(lists.includes(name) ? oddLists : [])].map(async (value) => {
            const base =
              endpoint === '/projects/fork'
                ? { slug: 'none' }
                : endpoint === '/projects/save'
                  ? { id, version: 999 }
                  : {}
            const { status, error, success } = await world.call(owner, endpoint, { ...base, [name]: value })
            expect(
              [200, 400, 404, 409, 422],
              `${endpoint} ${name} ${JSON.stringify(value)}: ${JSON.stringify(error)}`,
            ).to.include(status)
            if (status === 400) expect(error.message).to.match(/field "/i)
            expect(success).to.equal(status === 200)
          }),
        )
      }
    }
    for (const data of hostileTexts) expect((await world.call(owner, '/projects/get', data)).status).to.equal(400)
    expect(
      (await world.call(owner, '/projects/save', { id, version: 1, deleted_file: ['a'] })).error.message,
    ).to.include('deleted_file')
    expect((await world.get(owner, slug)).project).to.include({ version: 1 })
    expect(world.logged.filter((line) => line.includes('"level":50'))).to.deep.equal([])
  })

  it('requires every field of a save that it cannot infer', async () => {
    const { id } = await world.save(owner, { name: 'p' })
    for (const [data, field] of [
      [{}, 'name'],
      [{ id, name: 'x' }, 'version'],
      [{ version: 1, name: 'x' }, 'id'],
      [{ name: ' \t' }, 'name'],
      [{ name: 'a\u202eb' }, 'name'],
      [{ name: '\u200d\u0301' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
    ] as const) {
      const { status, error } = await world.call(owner, '/projects/save', data)
      expect([status, error.code, error['field']], JSON.stringify(data)).to.deep.equal([400, 'INVALID_INPUT', field])
    }
    expect(dataOf(await world.call(owner, '/projects/save', { name: ' 👩‍💻 합 ' }))).to.include({ version: 1 })
  })

  it('truncates names of copies to the maximum length', async () => {
    for (const name of ['x'.repeat(100), '😀'.repeat(50), `${'x'.repeat(91)}😀😀`]) {
      const { slug } = await world.save(owner, { name })
      const copy = dataOf(await world.call<{ slug: string }>(owner, '/projects/fork', { slug }))
      const kept = String((await world.get(owner, copy.slug)).project['name'])
      expect(kept).to.match(/^Fork of /)
      expect(kept.length).to.be.within(98, 100)
      expect(kept.isWellFormed()).to.equal(true)
    }
  })

  it('accepts requests from its own origins only', async () => {
    const preflight = await world.fetch({
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    })
    expect([
      preflight.status,
      preflight.headers.get('Access-Control-Allow-Origin'),
      preflight.headers.get('Vary'),
    ]).to.deep.equal([204, origin, 'Accept-Encoding, Origin'])
    expect(preflight.headers.get('Access-Control-Allow-Headers')).to.include('authorization')
    const allowed = await world.call(owner, '/projects/list', {}, { Origin: origin })
    expect([
      allowed.status,
      allowed.headers.get('Access-Control-Allow-Origin'),
      allowed.headers.get('Cache-Control'),
    ]).to.deep.equal([200, origin, 'no-store'])
    for (const other of ['https://evil.example.com', 'null', `${origin}.evil.com`]) {
      const refused = await world.call(owner, '/projects/list', {}, { Origin: other })
      expect([refused.status, refused.error.code, refused.headers.get('Access-Control-Allow-Origin')]).to.deep.equal([
        403,
        'ORIGIN_NOT_ALLOWED',
        null,
      ])
    }
  })

  it('accepts only POST with JSON', async () => {
    const get = await world.fetch({ method: 'GET' })
    expect([get.status, get.headers.get('Allow')]).to.deep.equal([405, 'POST, OPTIONS'])
    expect(await errorOf(await post('a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }))).to.deep.equal([
      415,
      'INVALID_INPUT',
    ])
    expect(await errorOf(await post('{'))).to.deep.equal([400, 'INVALID_INPUT'])
    expect(await errorOf(await post('[]'))).to.deep.equal([400, 'INVALID_INPUT'])
    expect(await errorOf(await post('[['.repeat(5000)))).to.deep.equal([400, 'INVALID_INPUT'])
    expect(await errorOf(await post('{"endpoint":"/projects/steal"}'))).to.deep.equal([404, 'NOT_FOUND'])
    expect(await errorOf(await post('{"endpoint":"__proto__"}'))).to.deep.equal([404, 'NOT_FOUND'])
  })

  it('accepts a large body from signed-in users only, up to the project limit', async () => {
    const large = JSON.stringify({
      endpoint: '/projects/save',
      data: { name: 'p', files: [file('a', '\n'.repeat(90_000))] },
    })
    expect(await errorOf(await post(large))).to.deep.equal([401, 'UNAUTHORIZED'])
    expect((await post(large, { Authorization: `Bearer ${owner.token}` })).status).to.equal(200)
    // Clients declare the body size, and receive the response before they send it.
    const tooLarge = await answerTo(900_000_000, `Authorization: Bearer ${owner.token}\r\n`)
    expect(tooLarge).to.match(/^HTTP\/1\.1 413 /)
    expect(tooLarge)
      .to.include('TOO_LARGE')
      .and.match(/connection: close/i)
    expect(await answerTo(20_000)).to.match(/^HTTP\/1\.1 401 /)
  })
})

describe('projects function limits', () => {
  it('bound the request rate per client and account', async () => {
    const world = await ProjectWorld.create({ limits: { client: 12, read: 3, write: 2, atOnce: Infinity } })
    try {
      const [one, other] = [world.testUser(), world.testUser()]
      const statuses = async (by: TestUser, endpoint: string, data: unknown, times: number): Promise<number[]> => {
        const all: number[] = []
        for (let i = 0; i < times; i++) all.push((await world.call(by, endpoint, data)).status)
        return all
      }
      expect(await statuses(one, '/projects/list', {}, 4)).to.deep.equal([200, 200, 200, 429])
      expect(await statuses(one, '/projects/save', { name: 'p' }, 3)).to.deep.equal([200, 200, 429])
      expect(await statuses(other, '/projects/list', {}, 3)).to.deep.equal([200, 200, 200])
      const limited = await world.call(other, '/projects/list')
      expect([limited.error.code, Number(limited.headers.get('Retry-After')) > 0]).to.deep.equal(['RATE_LIMITED', true])
      expect(await statuses({ userId: '', token: 'guess' }, '/projects/list', {}, 3)).to.deep.equal([401, 429, 429])
    } finally {
      await world.stop()
    }
  })

  it('bound concurrent requests per account', async () => {
    const world = await ProjectWorld.create({ limits: { client: 0, read: 0, write: 0, atOnce: 2 } })
    const blocker = await world.database.pool.connect()
    try {
      const [one, other] = [world.testUser(), world.testUser()]
      const { id } = await world.save(one, { name: 'p' })
      await blocker.query('begin')
      await blocker.query('select from projects.projects where id = $1 for update', [id])
      const waiting = Array.from({ length: 6 }, (_, i) =>
        world.call(one, '/projects/save', { id, version: 1, name: `p${i}` }),
      )
      const refused = Promise.withResolvers<void>()
      let count = 0
      for (const answer of waiting) {
        void answer.then(({ status }) => {
          if (status === 429 && ++count === 4) refused.resolve()
        })
      }
      await refused.promise
      expect((await world.call(other, '/projects/list')).status).to.equal(200)
      await blocker.query('commit')
      const statuses = (await Promise.all(waiting)).map(({ status }) => status)
      expect(statuses).to.have.members([200, 409, 429, 429, 429, 429])
      expect((await world.call(one, '/projects/list')).status).to.equal(200)
    } finally {
      blocker.release()
      await world.stop()
    }
  })

  it('bound body memory across all accounts', async () => {
    const world = await ProjectWorld.create({ bodyBytesAtOnce: 0 })
    try {
      const before = JSON.stringify({ endpoint: '/projects/save', data: { name: 'p' } })
      const body = before + ' '.repeat(900_000)
      // One body is about 1,010,000 bytes and fills the whole limit.
      const calls = Array.from({ length: 4 }, () => {
        const headers = {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${world.testUser().token}`,
          'Content-Length': body.length + 1,
        }
        const call = request(world.url, { method: 'POST', headers })
        const answer = new Promise<{
          readonly status: number | undefined
          readonly retryAfter: string | undefined
          readonly text: string
        }>((resolve, reject) => {
          call.on('response', (response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('end', () =>
              resolve({
                status: response.statusCode,
                retryAfter: response.headers['retry-after'],
                text: Buffer.concat(chunks).toString(),
              }),
            )
          })
          // The body of a rejected request is not read to the end.
          call.on('error', (error: NodeJS.ErrnoException) =>
            ['EPIPE', 'ECONNRESET'].includes(error.code ?? '')
              ? resolve({ status: 503, retryAfter: '2', text: '"BUSY"' })
              : reject(error),
          )
        })
        call.write(body)
        return { call, answer }
      })
      const first = await Promise.race(calls.map(({ answer }) => answer))
      expect([first.status, first.retryAfter, first.text.includes('"BUSY"')]).to.deep.equal([503, '2', true])
      for (const { call } of calls) call.end(' ')
      const statuses = (await Promise.all(calls.map(({ answer }) => answer))).map(({ status }) => status)
      expect(statuses.every((status) => status === 200 || status === 503)).to.equal(true)
      for (let i = 0; i < 4; i++) {
        const again = await world.fetch({
          method: 'POST',
          body,
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${world.testUser().token}` },
        })
        expect(again.status, 'all of it was given back').to.equal(200)
      }
      expect(world.logged.filter((line) => line.includes('"level":50'))).to.deep.equal([])
    } finally {
      await world.stop()
    }
  })

  it('report auth and database failures without details', async () => {
    let fault: Error = new RetryableError('auth-server-unreachable', 'connect ECONNREFUSED 10.0.0.7')
    const world = await ProjectWorld.create({ authenticate: async () => Promise.reject(fault) })
    try {
      const unknown = await world.call({ token: 'x' }, '/projects/list')
      expect([
        unknown.status,
        unknown.headers.get('Retry-After'),
        JSON.stringify(unknown.error).includes('10.0.0.7'),
      ]).to.deep.equal([503, '1', false])
      fault = new Error('the password is hunter2')
      const broken = await world.call({ token: 'x' }, '/projects/list')
      expect([broken.status, broken.error]).to.deep.equal([
        500,
        { code: 'INTERNAL', message: 'Internal error. See the log.' },
      ])
      expect(world.logged.join('')).to.include('hunter2')
      await world.database.pool.query('drop table projects.files cascade')
      expect((await world.call(undefined, '/projects/get', { slug: 'a' })).status).to.equal(500)
    } finally {
      await world.stop()
    }
  })
})
