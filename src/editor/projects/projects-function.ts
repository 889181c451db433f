import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type pg from 'pg'
import { z } from 'zod'
import { planSave } from './plan-save.ts'
import { notSignedIn, projectError } from './project-error.ts'
import { maxBodyBytes } from './project-quotas.ts'
import type { ProjectQuotas } from './project-quotas.ts'
import { readData, projectId, version as versionSchema, readSave } from './project-requests.ts'
import type { ProjectParts, Endpoint, SessionCall, SaveRequest } from './project-requests.ts'
import { get, list } from './read-projects.ts'
import type { SavedProject } from './read-projects.ts'
import {
  fork,
  createProject,
  lockAccount,
  requireProjectQuota,
  findEarlierSave,
  lockProject,
  updateProject,
} from './write-projects.ts'
import type { NamedSave } from './write-projects.ts'
import type { Authenticate } from '../../platform/auth/authenticate.ts'
import type { LockUser } from '../../platform/auth/authenticate.ts'
import { ByteBudget } from '../../platform/limits/byte-budget.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { query, withRetriedTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import { bearerToken } from '../../platform/http/guards.ts'
import { functionAnswer, functionCall, functionCors, functionErrors } from '../../platform/http/functions.ts'
import type { RequestState } from '../../platform/http/requests.ts'
import { bindRoutes, routesOf } from '../../platform/http/route.ts'
import type { Route } from '../../platform/http/route.ts'
import type { Guard, Guards } from '../../platform/http/router.ts'
import { readJson } from '../../platform/http/read-json.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import { Slots } from '../../platform/limits/slots.ts'

const deleteInput = z.strictObject({ id: projectId, version: versionSchema.optional() })

/** Forks of other users stay. */
async function deleteProject({ userId, data, parts: { pool } }: SessionCall): Promise<{ readonly deleted: true }> {
  const { id, version } = readData(deleteInput, data)
  return await withRetriedTransaction(pool, async (client) => {
    const project = await lockProject(client, id, userId)
    if (version !== undefined && project.version !== version) {
      throw projectError(
        'CONFLICT',
        `The project has changed: its version is ${project.version}, not ${version}. Review it before you delete it.`,
        {
          facts: {
            current: { version: project.version, updated_at: project.updated_at, name: project.name },
            yours: { version },
          },
        },
      )
    }
    await query(client, 'delete from projects.projects where id = $1', [id])
    return { deleted: true }
  })
}

async function save({ userId, data, parts }: SessionCall): Promise<SavedProject> {
  const request = readSave(data)
  const named = { userId, saveId: request.saveId, digest: request.digest }
  const { existing } = request
  const { pool, quotas } = parts
  if (existing === undefined) return await saveNew(parts, named, request)
  return await withRetriedTransaction(pool, (client) => updateProject(client, named, { ...request, existing }, quotas))
}

async function saveNew(
  { pool, quotas, lockUser }: ProjectParts,
  named: NamedSave,
  request: SaveRequest,
): Promise<SavedProject> {
  const plan = planSave({ files: [], folders: [] }, request, quotas)
  return await withRetriedTransaction(pool, async (client) => {
    await lockAccount(client, named.userId, lockUser)
    const earlier = await findEarlierSave(client, named)
    if (earlier !== undefined) return earlier
    await requireProjectQuota(client, named.userId, quotas)
    return await createProject(client, named, request, plan)
  })
}

export interface ProjectsFunctionOptions {
  readonly pool: pg.Pool
  readonly authenticate: Authenticate
  readonly lockUser: LockUser
  readonly allowsOrigin: (origin: string) => boolean
  readonly quotas: ProjectQuotas
  readonly limits?: ProjectRateLimits
  /** Default 128 MB, and at least one largest body. */
  readonly bodyBytesAtOnce?: number
}

export interface ProjectsFunction {
  readonly routes: readonly Route<unknown>[]
  readonly guards: Guards
  readonly cors: Middleware<RequestState>
  prune(): Promise<void>
}

export const projectsFunctionPath = '/functions/v1/projects'

const errorForm = functionErrors({
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'TOO_LARGE',
  429: 'RATE_LIMITED',
  503: 'BUSY',
  unavailable: 'INTERNAL',
})

/** Anonymous calls only read. */
const maxOpenBodyBytes = 16 * 1024

/** A body needs about four times its bytes until it is stored. */
const usualBodyBytesAtOnce = 128_000_000

interface ProjectCaller {
  readonly userId: string | undefined
  readonly readBody: (request: IncomingMessage) => Promise<unknown>
}

interface ProjectServices {
  readonly parts: ProjectParts
  readonly perAccount: Readonly<Record<Endpoint['kind'], SlidingWindow>>
}

const route = routesOf<ProjectServices, { projects: ProjectCaller }>()

export const projectRoutes: readonly Route<ProjectServices>[] = [
  route({
    method: 'POST',
    path: projectsFunctionPath,
    operationId: 'callProjects',
    tag: 'Projects',
    summary: 'Run an endpoint of the projects',
    access: 'projects',
    errorForm,
    body: z.unknown(),
    readBody: (request, _max, { readBody }) => readBody(request),
    response: functionAnswer,
    handler: async ({ body, caller: { userId } }, services) => ({
      body: { success: true as const, data: await call(body, userId, services) },
    }),
  }),
]

export function createProjectsFunction(options: ProjectsFunctionOptions): ProjectsFunction {
  const { pool, quotas, lockUser, authenticate, limits = projectRateLimits } = options
  const max = maxBodyBytes(quotas)
  const perClient = new SlidingWindow({ max: limits.client })
  const running = new Slots({ what: 'project requests', max: Infinity, maxPerClient: limits.atOnce })
  const memory = new BodyMemoryLimit(Math.max(options.bodyBytesAtOnce ?? usualBodyBytesAtOnce, max))
  const projects: Guard<ProjectCaller> = async ({ client, header }, run) => {
    const network = clientNetwork(client.address)
    perClient.require(network)
    const token = bearerToken(header('Authorization'))
    const userId = token === undefined ? undefined : (await authenticate(token)).userId
    const slot = await running.enter(userId ?? network)
    try {
      return await memory.during(userId ?? network, (take) =>
        run({
          userId,
          // Only signed-in users may send a large body.
          readBody: (request) => (userId === undefined ? readSmallBody(request) : readJson(request, max, take)),
        }),
      )
    } finally {
      slot.leave()
    }
  }
  return {
    routes: bindRoutes(projectRoutes, {
      parts: { pool, quotas, lockUser },
      perAccount: { read: new SlidingWindow({ max: limits.read }), write: new SlidingWindow({ max: limits.write }) },
    }),
    guards: { projects },
    cors: functionCors(projectsFunctionPath, {
      errorForm,
      allows: options.allowsOrigin,
      refusal: () => projectError('ORIGIN_NOT_ALLOWED', 'Pages of this origin may not use the projects.'),
    }),
    prune: async () => {
      await query(pool, `delete from projects.saves where saved_at < now() - interval '1 day'`)
    },
  }
}

async function readSmallBody(request: IncomingMessage): Promise<unknown> {
  try {
    return await readJson(request, maxOpenBodyBytes)
  } catch (error) {
    throw error instanceof ApiError && error.status === 413 ? notSignedIn() : error
  }
}

async function call(
  body: unknown,
  userId: string | undefined,
  { parts, perAccount }: ProjectServices,
): Promise<unknown> {
  const { endpoint: name, data } = readData(functionCall, body)
  const endpoint = allEndpoints.get(name)
  if (endpoint === undefined) {
    const text = `Unknown endpoint (field "endpoint"). Endpoints: ${[...allEndpoints.keys()].join(', ')}.`
    throw projectError('NOT_FOUND', text, { field: 'endpoint', facts: { field: 'endpoint' } })
  }
  if (userId !== undefined) perAccount[endpoint.kind].require(userId)
  if (endpoint.access === 'open') return await endpoint.run({ userId, data, parts })
  if (userId === undefined) throw notSignedIn()
  return await endpoint.run({ userId, data, parts })
}

const allEndpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/projects/list', { access: 'session', kind: 'read', run: list }],
  ['/projects/get', { access: 'open', kind: 'read', run: get }],
  ['/projects/save', { access: 'session', kind: 'write', run: save }],
  ['/projects/delete', { access: 'session', kind: 'write', run: deleteProject }],
  ['/projects/fork', { access: 'session', kind: 'write', run: fork }],
])

/** Per minute and process. */
interface ProjectRateLimits {
  readonly client: number
  readonly read: number
  /** Editors save some seconds after each change. */
  readonly write: number
  /** Each request may hold a whole project in memory. */
  readonly atOnce: number
}

export const projectRateLimits: ProjectRateLimits = { client: 600, read: 300, write: 120, atOnce: 8 }

/** Smaller bodies need no budget, so that they do not wait for large ones. */
const smallBytes = 256_000

/** Per account, which bounds slow senders. */
const maxLarge = 2

export class BodyMemoryLimit {
  readonly #budget: ByteBudget
  readonly #large = new Map<string, number>()

  /** @param bytes beside small bodies */
  constructor(bytes: number) {
    this.#budget = new ByteBudget(bytes)
  }

  /** Releases the bytes that `fn` reports. `take` throws ApiError 503 `busy`. */
  async during<Result>(who: string, fn: (take: (bytes: number) => void) => Promise<Result>): Promise<Result> {
    let [come, isLarge] = [0, false]
    try {
      return await this.#budget.during((take) =>
        fn((bytes) => {
          come += bytes
          if (come <= smallBytes) return
          if (isLarge) {
            take(bytes)
            return
          }
          this.#begin(who)
          isLarge = true
          take(come)
        }),
      )
    } finally {
      if (isLarge) this.#end(who)
    }
  }

  #begin(who: string): void {
    const running = this.#large.get(who) ?? 0
    if (running >= maxLarge) {
      throw new ApiError(
        503,
        'busy',
        `Too many large requests of this account (limit ${maxLarge}). Wait for the others.`,
        {
          details: { retryAfterSeconds: 2 },
        },
      )
    }
    this.#large.set(who, running + 1)
  }

  #end(who: string): void {
    const left = (this.#large.get(who) ?? 1) - 1
    if (left === 0) this.#large.delete(who)
    else this.#large.set(who, left)
  }
}
