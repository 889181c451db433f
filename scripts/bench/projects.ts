import { createHash, randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import Koa from 'koa'
import type pg from 'pg'
import { pino } from 'pino'
import { createProjectsFunction, projectsFunctionPath } from '../../src/editor/projects/projects-function.ts'
import { addressList, clientReader } from '../../src/platform/client-address.ts'
import { closeServer, listen } from '../../src/platform/http/listen.ts'
import { requests } from '../../src/platform/http/requests.ts'
import type { RequestState } from '../../src/platform/http/requests.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { openBenchDatabase } from './farm/bench-database.ts'
import { quantile } from './farm/quantile.ts'
import { currentLoad } from './machine.ts'
import { readOptions } from './read-options.ts'

/** Text like that of contracts: as long as asked for, another one for each number, as compressible as code is. */
function codeText(number: number, bytes: number): string {
  const lines: string[] = []
  for (let length = 0, i = 0; length < bytes; i++) {
    const id = createHash('md5').update(`${number} ${i}`).digest('hex')
    const line = `    access(all) fun transfer${id.slice(0, 6)}(amount: UFix64, to: Address) { self.balances[to] = 0x${id.slice(6, 22)} }`
    lines.push(line)
    length += line.length + 1
  }
  return lines.join('\n').slice(0, bytes)
}

interface Filled {
  readonly projects: number
  readonly files: number
  readonly fileBytes: number
}

/** Projects of one user each ten, with files that are different everywhere. Straight into the tables. */
async function fillProjects(
  pool: pg.Pool,
  userIds: readonly string[],
  { projects, files, fileBytes }: Filled,
): Promise<void> {
  await pool.query(
    `insert into projects.projects (user_id, slug, name, network, is_public, open_files, folders, version, file_count, byte_count)
     select ($1::uuid[])[1 + n % cardinality($1::uuid[])], 'filled-' || n, 'Filled ' || n, 'mainnet', true, '{}', '{}', 1, $3, $3::int * $4::int
     from generate_series(0, $2 - 1) n`,
    [userIds, projects, files, fileBytes],
  )
  for (let number = 0; number < projects; number++) {
    const all = Array.from({ length: files }, (_, i) => ({
      path: pathOf(i),
      content: codeText(number * files + i, fileBytes),
    }))
    await pool.query(
      `insert into projects.files (project_id, path_key, path, content, hash, byte_count, version)
       select p.id, path, path, content, sha256(convert_to(content, 'utf8')), octet_length(content), 1
       from projects.projects p, unnest($2::text[], $3::text[]) f (path, content) where p.slug = 'filled-' || $1`,
      [number, all.map(({ path }) => path), all.map(({ content }) => content)],
    )
  }
  await pool.query('vacuum analyze projects.projects, projects.files')
}

/** Lower case, so that it is its own key. */
function pathOf(i: number): string {
  return `contracts/part${i % 5}/file${String(i).padStart(3, '0')}.cdc`
}

/**
 * `node scripts/bench/projects.ts`: how long the operations of projects take over HTTP, one after the other, and beside them what PostgreSQL
 * takes at best for the rows that they write. The function, whoever asks and PostgreSQL are on one machine; commits wait for the disk.
 */

const { values } = readOptions(import.meta.filename, {
  options: {
    projects: { type: 'string', default: '1000' },
    files: { type: 'string', default: '50' },
    bytes: { type: 'string', default: '4000' },
    times: { type: 'string', default: '200' },
  },
})
const size = { projects: Number(values.projects), files: Number(values.files), fileBytes: Number(values.bytes) }
const times = Number(values.times)
const database = await openBenchDatabase()
const { pool } = database
const write = (text: string): boolean => process.stdout.write(`${text}\n`)

const users = Array.from({ length: 100 }, () => randomUUID())
const projectsFunction = createProjectsFunction({
  pool,
  log: pino({ level: 'error' }),
  authenticate: async (token) => ({ userId: token }),
  holdUser: () => Promise.resolve(true),
  allowsOrigin: () => false,
  clientOf: clientReader(addressList([])),
  quotas: { projects: 1_000_000, files: 500, fileBytes: 1_000_000, projectBytes: 5_000_000 },
  limits: { client: 0, read: 0, write: 0, atOnce: 0 },
})
const app = new Koa<RequestState>()
app.use(
  requests({ service: 'editor', metrics: new Metrics(), log: pino({ level: 'error' }), list: 'the documentation' }),
)
app.use(projectsFunction.middleware)
const handle = app.callback()
const { server, port } = await listen((request, response) => void handle(request, response), {
  host: '127.0.0.1',
  port: 0,
})

async function call<Data>(user: string, endpoint: string, data: unknown): Promise<Data> {
  const response = await fetch(`http://127.0.0.1:${port}${projectsFunctionPath}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${user}` },
    body: JSON.stringify({ endpoint, data }),
  })
  const answer = (await response.json()) as { readonly success: boolean; readonly data: Data; readonly error: unknown }
  if (!answer.success) throw new Error(JSON.stringify(answer.error))
  return answer.data
}

/** @param prepare what is not measured: the text that is sent */
async function measure<Prepared>(
  name: string,
  prepare: (i: number) => Prepared,
  run: (i: number, prepared: Prepared) => Promise<unknown>,
): Promise<void> {
  const warmUp = Math.min(20, times)
  const took: number[] = []
  for (let i = 0; i < warmUp + times; i++) {
    const prepared = prepare(i)
    const begin = performance.now()
    await run(i, prepared)
    if (i >= warmUp) took.push(performance.now() - begin)
  }
  write(name.padEnd(58) + [0.5, 0.99].map((part) => quantile(took, part).toFixed(1).padStart(10)).join(''))
}

/** A project of the filled ones, and its owner. */
const projectOf = (i: number): { slug: string; user: string } => ({
  slug: `filled-${i % size.projects}`,
  user: users[(i % size.projects) % users.length] ?? '',
})
const known = new Map<string, { id: string; version: number }>()

async function save(i: number, files: readonly { readonly path: string; readonly content: string }[]): Promise<void> {
  const { slug, user } = projectOf(i * 7)
  let at = known.get(slug)
  if (at === undefined) {
    const {
      rows: [row],
    } = await pool.query<{ id: string; version: number }>('select id, version from projects.projects where slug = $1', [
      slug,
    ])
    at = row ?? { id: '', version: 0 }
  }
  const { id, version } = at
  known.set(
    slug,
    await call<{ id: string; version: number }>(user, '/projects/save', { id, version, save_id: randomUUID(), files }),
  )
}

let fresh = 0
const newText = (): string => codeText(1_000_000_000 + fresh++, size.fileBytes)
const wholeProject = (): { path: string; content: string }[] =>
  Array.from({ length: size.files }, (_, i) => ({ path: pathOf(i), content: newText() }))

try {
  await fillProjects(pool, users, size)
  const {
    rows: [stored],
  } = await pool.query<{ size: string }>(`select pg_size_pretty(pg_total_relation_size('projects.files')) as size`)
  write(
    `Projects: ${size.projects} of ${size.files} files of ${size.fileBytes} bytes (${stored?.size} in PostgreSQL), ${times} times each, ` +
      `${availableParallelism()} cores for all, load ${currentLoad().toFixed(1)}, Node ${process.version}\n`,
  )
  write(`${''.padEnd(58)} median ms    p99 ms`)
  const nothing = (): undefined => undefined
  await measure('bare: one row updated, one transaction', newText, (i, text) =>
    pool.query(
      `update projects.files f set content = $2, hash = $3 from projects.projects p where p.slug = $1 and f.project_id = p.id and f.path_key = $4`,
      [projectOf(i).slug, text, createHash('sha256').update(text).digest(), pathOf(0)],
    ),
  )
  await measure(`bare: ${size.files} rows updated, one transaction`, wholeProject, (i, texts) =>
    pool.query(
      `update projects.files f set content = t.content from projects.projects p, unnest($2::text[], $3::text[]) t (key, content)
     where p.slug = $1 and f.project_id = p.id and f.path_key = t.key`,
      [projectOf(i).slug, texts.map(({ path }) => path), texts.map(({ content }) => content)],
    ),
  )
  await measure('save of one file', (i) => [{ path: pathOf(i % size.files), content: newText() }], save)
  const kept = wholeProject()
  const oneChanged = (i: number): typeof kept =>
    kept.map((file, n) => (n === i % size.files ? { path: file.path, content: newText() } : file))
  await measure(`save of all ${size.files} files, one or two of them changed`, oneChanged, (_, files) => save(0, files))
  await measure(`save of all ${size.files} files, all of them changed`, wholeProject, save)
  await measure(`a new project of ${size.files} files`, wholeProject, (i, files) =>
    call(users[i % users.length] ?? '', '/projects/save', { name: 'New', files }),
  )
  await measure('get', nothing, (i) => call(projectOf(i * 13).user, '/projects/get', { slug: projectOf(i * 13).slug }))
  await measure('list, a page of 50', nothing, (i) => call(users[i % users.length] ?? '', '/projects/list', {}))
  await measure('fork', nothing, (i) =>
    call(users[i % users.length] ?? '', '/projects/fork', { slug: projectOf(i * 3).slug }),
  )
} finally {
  await closeServer(server, 500)
  await database.close()
}
