import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import type { Call, Route } from '../../../platform/http/route.ts'
import { limitKey } from '../../../platform/limits/clients.ts'
import type { Allowance } from '../../../platform/limits/token-buckets.ts'
import { maxDashboards, maxRefreshSeconds, maxTiles, minRefreshSeconds, tileViews } from '../saved/dashboards.ts'
import type { Dashboard, DashboardContent, DashboardSummary, Tile } from '../saved/dashboards.ts'
import { tileStatement } from '../saved/tile-results.ts'
import type { TileResult } from '../saved/tile-results.ts'
import { answerFields, cleanText, defaultsField, nameField } from '../dto.ts'
import { notAnObject, numberParameter, queryOptions, route } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'

const maxBodyBytes = 64 * 1024
const defaultRefreshSeconds = 300
const hexDigits = (count: number): RegExp => new RegExp(`^[0-9a-f]{${count}}$`)

const tileFields = {
  query_id: z.string().regex(hexDigits(16), 'must be the id of a saved query').describe('Saved query that it shows.'),
  title: cleanText(100).default('').describe('Empty: the name of the saved query.'),
  parameters: defaultsField.default([]).describe('Values instead of the defaults of the saved query.'),
  view: z.enum(tileViews, `must be ${tileViews.join(' or ')}`).default('table'),
  width: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(3, 'must be at most 3')
    .default(1)
    .describe('Columns of the grid, which has three.'),
}

const tileId = z.string().regex(hexDigits(8), 'must be 8 hex digits')
const refreshField = z
  .int('must be a whole number')
  .min(minRefreshSeconds, `must be at least ${minRefreshSeconds}`)
  .max(maxRefreshSeconds, `must be at most ${maxRefreshSeconds}`)
  .default(defaultRefreshSeconds)
  .describe('Seconds for which results of tiles are cached.')

const body = z.strictObject(
  {
    name: nameField,
    refresh_seconds: refreshField,
    tiles: z
      .array(z.strictObject({ id: tileId.optional().describe('Default: a new id.'), ...tileFields }))
      .max(maxTiles, `must have at most ${maxTiles} tiles`)
      .refine((tiles) => {
        const ids = tiles.flatMap(({ id }) => id ?? [])
        return new Set(ids).size === ids.length
      }, 'must not have the same id twice')
      .default([]),
  },
  notAnObject,
)

const changedBody = body.extend({
  updated_at: z.iso
    .datetime('must be a time as in `updated_at` of the dashboard')
    .optional()
    .describe('As you read it: a later change is not overwritten. Default: overwrites.'),
})

const link = z.string().nullable().describe('Secret of the public link `/d/{link}`; null if it is not published.')
const summaryFields = { id: z.string(), name: z.string(), refresh_seconds: z.int(), link, updated_at: z.string() }
const summary = z.strictObject({ ...summaryFields, tiles: z.int() }).meta({ id: 'DashboardSummary' })
const dashboard = z
  .strictObject({ ...summaryFields, tiles: z.array(z.strictObject({ id: tileId, ...tileFields })) })
  .meta({ id: 'Dashboard' })
const publicDashboard = z
  .strictObject({
    name: z.string(),
    refresh_seconds: z.int(),
    tiles: z.array(
      z.strictObject({
        id: tileId,
        title: z.string().describe('Empty if its query was deleted.'),
        view: tileFields.view,
        width: tileFields.width,
      }),
    ),
  })
  .meta({ id: 'PublicDashboard' })
const tileResult = z
  .strictObject({
    ...answerFields,
    computed_at: z.string(),
    expires_in: z.int().describe('Seconds until a read may run the statement again.'),
  })
  .meta({ id: 'TileResult' })

function presentSummary({ refreshSeconds, updatedAt, tileCount, ...rest }: DashboardSummary): z.output<typeof summary> {
  return { ...rest, refresh_seconds: refreshSeconds, updated_at: updatedAt.toISOString(), tiles: tileCount }
}

function present({ refreshSeconds, updatedAt, tiles, ...rest }: Dashboard): z.output<typeof dashboard> {
  return {
    ...rest,
    refresh_seconds: refreshSeconds,
    updated_at: updatedAt.toISOString(),
    tiles: tiles.map(({ queryId, parameters, ...tile }) => ({
      ...tile,
      query_id: queryId,
      parameters: [...parameters],
    })),
  }
}

function presentResult({ answer, computedAt }: TileResult, refreshSeconds: number): z.output<typeof tileResult> {
  const ageSeconds = Math.max(0, Date.now() - computedAt) / 1000
  return {
    ...answer,
    computed_at: new Date(computedAt).toISOString(),
    expires_in: Math.max(0, Math.ceil(refreshSeconds - ageSeconds)),
  }
}

function contentOf({ name, refresh_seconds: refreshSeconds, tiles }: z.output<typeof body>): DashboardContent {
  return {
    name,
    refreshSeconds,
    tiles: tiles.map(({ id = randomBytes(4).toString('hex'), query_id: queryId, ...tile }) => ({
      id,
      queryId,
      ...tile,
    })),
  }
}

/** @throws ApiError 404 `unknown-dashboard` */
function checkId(id: string, digits: number): string {
  if (hexDigits(digits).test(id)) return id
  throw new ApiError(404, 'unknown-dashboard', 'No dashboard has this id or link.', { field: 'id' })
}

/** @throws ApiError 404 `unknown-tile` */
function tileOf({ tiles }: Dashboard, id: string): Tile {
  const tile = tiles.find((each) => each.id === id)
  if (tile !== undefined) return tile
  throw new ApiError(404, 'unknown-tile', 'The dashboard has no tile with this id. Load the dashboard again.', {
    field: 'tile',
  })
}

/** For each network. A dashboard has at most 25 reads. */
const viewerAllowance: Allowance = { rate: 10, burst: 200 }

/** @throws ApiError 429 `too-many-requests` */
export function admitViewer({ client }: Call, { viewers }: AskServices): void {
  const key = limitKey(client)
  if (key === undefined) return
  const { isAllowed, nextInSeconds } = viewers.take(key, viewerAllowance)
  if (isAllowed) return
  const detail = `Too many requests: limit ${viewerAllowance.rate} a second. Try again in ${nextInSeconds} s.`
  throw new ApiError(429, 'too-many-requests', detail, { details: { retryAfterSeconds: nextInSeconds } })
}

/** Runs for viewers count as one client, so they never have all slots. */
const viewersClient = 'dashboard viewers'

/** Viewers may not see messages that quote the statement. @throws ApiError 409 `tile-failed` */
function hideFailure(error: unknown): never {
  if (!(error instanceof ApiError) || error.status === 429 || error.status === 503) throw error
  const detail = 'This tile has no result: its query failed or was deleted. Its owner sees the reason.'
  throw new ApiError(409, 'tile-failed', detail, { cause: error })
}

const example: z.output<typeof dashboard> = {
  id: '0c4e7d1fa9b85263',
  name: 'Network today',
  refresh_seconds: 300,
  tiles: [
    {
      id: '5b1c09ef',
      query_id: '5f2c9e0a17b3d684',
      title: '',
      parameters: [{ name: 'since', type: 'date', value: '2026-11-01' }],
      view: 'table',
      width: 1,
    },
  ],
  link: null,
  updated_at: '2026-11-27T09:14:03.512Z',
}
const bodyExample: z.input<typeof body> = {
  name: example.name,
  refresh_seconds: example.refresh_seconds,
  tiles: example.tiles,
}
const resultExample: z.output<typeof tileResult> = {
  columns: ['blocks'],
  column_types: ['int8'],
  results: [{ blocks: '2160000' }],
  row_count: 1,
  truncated: false,
  truncated_by: null,
  computed_at: '2026-11-27T09:14:03.512Z',
  expires_in: 280,
}

const unavailable = 'The database is unavailable, or too many statements are queued; see `Retry-After`.'
const shared = {
  tag: 'Dashboards',
  access: 'token',
  problems: { 404: 'No dashboard has this id.', 503: unavailable },
} as const
const params = z.object({ id: z.string() })
const path = '/api/v1/dashboards'

const ownerRoutes: readonly Route<AskServices>[] = [
  route({
    ...shared,
    method: 'GET',
    path,
    operationId: 'listDashboards',
    summary: 'List the dashboards of this token by name',
    response: z.strictObject({ data: z.array(summary) }),
    example: { data: [{ ...example, tiles: 1 }] },
    problems: { 503: unavailable },
    handler: async ({ caller }, { dashboards }) => ({
      body: { data: (await dashboards.list(caller)).map(presentSummary) },
    }),
  }),
  route({
    ...shared,
    method: 'POST',
    path,
    operationId: 'createDashboard',
    summary: 'Create a dashboard of saved queries',
    description: `A token has at most ${maxDashboards} dashboards, a dashboard ${maxTiles} tiles.`,
    maxBodyBytes,
    body,
    bodyExample,
    successStatus: 201,
    response: dashboard,
    example,
    problems: { 409: 'Too many dashboards (`dashboards-full`).', 503: unavailable },
    handler: async ({ caller, body: sent }, { dashboards }) => ({
      body: present(await dashboards.create(caller, contentOf(sent))),
    }),
  }),
  route({
    ...shared,
    method: 'GET',
    path: `${path}/{id}`,
    operationId: 'getDashboard',
    summary: 'Read a dashboard without results',
    params,
    response: dashboard,
    example,
    handler: async ({ caller, params: { id } }, { dashboards }) => ({
      body: present(await dashboards.find(caller, checkId(id, 16))),
    }),
  }),
  route({
    ...shared,
    method: 'PUT',
    path: `${path}/{id}`,
    operationId: 'updateDashboard',
    summary: 'Replace name, refresh time and tiles of a dashboard',
    params,
    maxBodyBytes,
    body: changedBody,
    bodyExample: { ...bodyExample, updated_at: example.updated_at },
    response: dashboard,
    example,
    problems: { ...shared.problems, 409: 'It was changed after `updated_at` (`dashboard-changed`).' },
    handler: async ({ caller, params: { id }, body: { updated_at: basis, ...sent } }, { dashboards }) => ({
      body: present(
        await dashboards.update(
          caller,
          checkId(id, 16),
          contentOf(sent),
          basis === undefined ? undefined : new Date(basis),
        ),
      ),
    }),
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: `${path}/{id}`,
    operationId: 'deleteDashboard',
    summary: 'Delete a dashboard and its link',
    params,
    response: z.strictObject({ status: z.string() }),
    example: { status: 'deleted' },
    handler: async ({ caller, params: { id } }, { dashboards }) => {
      await dashboards.delete(caller, checkId(id, 16))
      return { body: { status: 'deleted' } }
    },
  }),
  route({
    ...shared,
    method: 'PUT',
    path: `${path}/{id}/link`,
    operationId: 'publishDashboard',
    summary: 'Publish a dashboard by a link',
    description: 'Anyone with the link sees titles and results, not statements. An existing link stays the same.',
    params,
    response: dashboard,
    example: { ...example, link: '5f2c9e0a17b3d6845f2c9e0a17b3d684' },
    handler: async ({ caller, params: { id } }, { dashboards }) => ({
      body: present(await dashboards.publish(caller, checkId(id, 16))),
    }),
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: `${path}/{id}/link`,
    operationId: 'revokeDashboardLink',
    summary: 'Revoke the link of a dashboard',
    params,
    response: dashboard,
    example,
    handler: async ({ caller, params: { id } }, { dashboards }) => ({
      body: present(await dashboards.revoke(caller, checkId(id, 16))),
    }),
  }),
  route({
    ...shared,
    method: 'GET',
    path: `${path}/{id}/tiles/{tile}`,
    operationId: 'getTileResult',
    summary: 'Result of a tile',
    description: 'Runs its statement if no result is younger than `max_age`. Failures are cached too.',
    params: params.extend({ tile: z.string() }),
    query: z.object({
      max_age: numberParameter(0, maxRefreshSeconds)
        .optional()
        .describe('Maximum age of a cached result in seconds. Default: the refresh time.'),
    }),
    response: tileResult,
    example: resultExample,
    problems: {
      400: 'The statement was refused or failed, or its result is too large (`tile-too-large`); see `detail`.',
      404: 'No dashboard or tile has this id, or the database is not configured.',
      409: 'The saved query was deleted (`query-deleted`).',
      429: 'Too many queued statements of this client (`too-many-statements`); see `Retry-After`.',
      503: unavailable,
      504: 'The statement took longer than QUERY_TIMEOUT_S.',
    },
    handler: async ({ caller, call, params: { id, tile: named }, query }, { dashboards, saved, tileResults }) => {
      const found = await dashboards.find(caller, checkId(id, 16))
      const tile = tileOf(found, named)
      const [source] = await saved.findAll(caller, [tile.queryId])
      const maxAge = query.max_age ?? found.refreshSeconds
      const result = await tileResults.read(tileStatement(tile, source), maxAge, queryOptions(call).client)
      return { body: presentResult(result, found.refreshSeconds) }
    },
  }),
]

const publicPath = '/api/v1/public/dashboards/{link}'
const publicParams = z.object({ link: z.string() })
const publicProblems = {
  404: 'No dashboard has this link.',
  429: 'Too many requests; see `Retry-After`.',
  503: unavailable,
}

const publicRoutes: readonly Route<AskServices>[] = [
  route({
    method: 'GET',
    path: publicPath,
    operationId: 'getPublicDashboard',
    tag: shared.tag,
    summary: 'Read a published dashboard without results',
    params: publicParams,
    response: publicDashboard,
    example: {
      name: example.name,
      refresh_seconds: 300,
      tiles: [{ id: '5b1c09ef', title: 'Blocks since a day', view: 'table', width: 1 }],
    },
    problems: publicProblems,
    handler: async ({ call, params: { link: secret } }, services) => {
      admitViewer(call, services)
      const { dashboards, saved, owner } = services
      const { name, refreshSeconds, tiles } = await dashboards.findPublished(owner, checkId(secret, 32))
      const queries = await saved.findAll(
        owner,
        tiles.map(({ queryId }) => queryId),
      )
      const names = new Map(queries.map((query) => [query.id, query.name]))
      return {
        body: {
          name,
          refresh_seconds: refreshSeconds,
          tiles: tiles.map(({ id, queryId, title, view, width }) => ({
            id,
            title: title === '' ? (names.get(queryId) ?? '') : title,
            view,
            width,
          })),
        },
      }
    },
  }),
  route({
    method: 'GET',
    path: `${publicPath}/tiles/{tile}`,
    operationId: 'getPublicTileResult',
    tag: shared.tag,
    summary: 'Result of a tile of a published dashboard',
    description: 'Runs its statement at most once in the refresh time for all viewers.',
    params: publicParams.extend({ tile: z.string() }),
    response: tileResult,
    example: resultExample,
    problems: {
      ...publicProblems,
      404: 'No dashboard has this link, or it has no tile with this id.',
      409: 'The query of the tile failed or was deleted (`tile-failed`).',
    },
    handler: async ({ call, params: { link: secret, tile: named } }, services) => {
      admitViewer(call, services)
      const { dashboards, saved, owner, tileResults } = services
      const found = await dashboards.findPublished(owner, checkId(secret, 32))
      const tile = tileOf(found, named)
      const [source] = await saved.findAll(owner, [tile.queryId])
      try {
        const result = await tileResults.read(tileStatement(tile, source), found.refreshSeconds, viewersClient)
        return { body: presentResult(result, found.refreshSeconds) }
      } catch (error) {
        return hideFailure(error)
      }
    },
  }),
]

export const dashboardRoutes: readonly Route<AskServices>[] = [...ownerRoutes, ...publicRoutes]
