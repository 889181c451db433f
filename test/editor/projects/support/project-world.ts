import { randomBytes, randomUUID } from 'node:crypto'
import { pino } from 'pino'
import type { Authenticate } from '../../../../src/platform/auth/authenticate.ts'
import { addressList, clientReader } from '../../../../src/platform/limits/clients.ts'
import { ApiError } from '../../../../src/platform/errors.ts'
import { createHttpServer } from '../../../../src/platform/http/server.ts'
import { Metrics } from '../../../../src/platform/metrics.ts'
import type { ProjectQuotas } from '../../../../src/editor/projects/project-quotas.ts'
import { createProjectsFunction, projectsFunctionPath } from '../../../../src/editor/projects/projects-function.ts'
import type { ProjectsFunction, ProjectsFunctionOptions } from '../../../../src/editor/projects/projects-function.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'

export const origin = 'https://editor.example.com'
export const quotas: ProjectQuotas = { projects: 20, files: 10, fileBytes: 1000, projectBytes: 5000 }

type Json = Readonly<Record<string, unknown>>

export interface Envelope<Data = Json> {
  readonly status: number
  readonly headers: Headers
  readonly success: boolean
  readonly data: Data
  readonly error: { readonly code: string; readonly message: string } & Json
}

export interface SaveResult {
  readonly id: string
  readonly slug: string
  readonly version: number
  readonly updated_at: string
  readonly file_count: number
  readonly byte_count: number
}

export interface ProjectResult {
  readonly project: Json & {
    readonly id: string
    readonly slug: string
    readonly version: number
    readonly forked_from: Json | null
    readonly folders: string[]
  }
  readonly files: readonly { readonly path: string; readonly content: string; readonly version: number }[]
}

export interface ListResult {
  readonly projects: readonly (Json & { readonly id: string; readonly name: string })[]
  readonly next_cursor: string | null
}

export interface TestUser {
  readonly userId: string
  readonly token: string
}

/** An HTTP server with the projects function and its own database. Sessions are in memory. */
export class ProjectWorld {
  readonly database: TestDatabase
  readonly projectsFunction: ProjectsFunction
  /** All log output. */
  readonly logged: readonly string[]
  readonly #people: Map<string, string>
  readonly url: string
  readonly #stop: () => Promise<void>

  private constructor(
    { database, projectsFunction, logged }: Pick<ProjectWorld, 'database' | 'projectsFunction' | 'logged'>,
    {
      users,
      url,
      stop,
    }: { readonly users: Map<string, string>; readonly url: string; readonly stop: () => Promise<void> },
  ) {
    this.database = database
    this.projectsFunction = projectsFunction
    this.logged = logged
    this.#people = users
    this.url = url
    this.#stop = stop
  }

  static async create(
    options: Partial<ProjectsFunctionOptions> & { readonly trustedProxies?: readonly string[] } = {},
  ): Promise<ProjectWorld> {
    const { trustedProxies = [], ...more } = options
    const database = await createTestDatabase({ max: 12 })
    const logged: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
    const users = new Map<string, string>()
    const authenticate: Authenticate = async (token) => {
      const userId = users.get(token)
      if (userId === undefined) throw new ApiError(401, 'UNAUTHORIZED', 'Sign in first.')
      return { userId }
    }
    const projectsFunction = createProjectsFunction({
      pool: database.pool,
      authenticate,
      lockUser: () => Promise.resolve(true),
      allowsOrigin: (given) => given === origin,
      quotas,
      limits: { client: 0, read: 0, write: 0, atOnce: Infinity },
      ...more,
    })
    const server = await createHttpServer(
      {
        service: 'editor',
        host: '127.0.0.1',
        port: 0,
        log,
        metrics: new Metrics(),
        clientOf: clientReader(addressList(trustedProxies)),
        closeGraceMs: 500,
      },
      {
        routes: projectsFunction.routes,
        services: undefined,
        guards: projectsFunction.guards,
        before: [projectsFunction.cors],
        checkResponses: true,
        retrySeconds: 1,
      },
    )
    return new ProjectWorld(
      { database, projectsFunction, logged },
      {
        users,
        url: `http://127.0.0.1:${server.port}${projectsFunctionPath}`,
        stop: async () => {
          await server.close()
          await database.drop()
        },
      },
    )
  }

  stop(): Promise<void> {
    return this.#stop()
  }

  /** A new signed-in user. */
  testUser(): TestUser {
    const testUser = { userId: randomUUID(), token: randomBytes(20).toString('hex') }
    this.#people.set(testUser.token, testUser.userId)
    return testUser
  }

  fetch(init: RequestInit): Promise<Response> {
    return fetch(this.url, init)
  }

  /** @param by undefined: an anonymous client */
  async call<Data = Json>(
    by: Pick<TestUser, 'token'> | undefined,
    endpoint: string,
    data?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Envelope<Data>> {
    const response = await this.fetch({
      method: 'POST',
      body: JSON.stringify({ endpoint, data }),
      headers: {
        'Content-Type': 'application/json',
        ...(by === undefined ? {} : { Authorization: `Bearer ${by.token}` }),
        ...headers,
      },
    })
    return {
      status: response.status,
      headers: response.headers,
      ...((await response.json()) as Omit<Envelope<Data>, 'status' | 'headers'>),
    }
  }

  /** The response to a successful save. */
  async save(by: TestUser, data: Json): Promise<SaveResult> {
    return dataOf(await this.call<SaveResult>(by, '/projects/save', data))
  }

  async get(by: TestUser | undefined, slug: string): Promise<ProjectResult> {
    return dataOf(await this.call<ProjectResult>(by, '/projects/get', { slug }))
  }

  /** Path and content of all files of an own project. */
  async contents(by: TestUser, slug: string): Promise<Record<string, string>> {
    return Object.fromEntries((await this.get(by, slug)).files.map(({ path, content }) => [path, content]))
  }
}

/** The data of a successful response. */
export function dataOf<Data>({ status, success, data, error }: Envelope<Data>): Data {
  if (!success || status !== 200) throw new Error(`${status} ${JSON.stringify(error)}`)
  return data
}

export function file(path: string, content = path): { readonly path: string; readonly content: string } {
  return { path, content }
}
