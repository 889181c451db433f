import type { IncomingMessage } from 'node:http'
import { Webhooks } from '@octokit/webhooks'
import { z } from 'zod'
import { branchName, commitSha } from './api/names.ts'
import { isSignedReport, reportKey, reportSeconds } from './deploy-workflow.ts'
import { handleWebhook } from './handle-webhook.ts'
import { githubRoute } from './github-route.ts'
import type { GitHubParts } from './github-route.ts'
import type { Connection } from './stores/connection-store.ts'
import { deployMessage, notifyDeploy } from './stores/deployment-store.ts'
import { ByteBudget } from '../../platform/limits/byte-budget.ts'
import { withRetriedTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Call, Route } from '../../platform/http/route.ts'
import { isShallowText, tooDeep } from '../../platform/http/read-json.ts'
import { parseBody } from '../../platform/http/parse-input.ts'

const maxWebhookBytes = 5 * 1024 * 1024
const maxReportBytes = 16 * 1024
const maxUnknownBytes = 64 * 1024 * 1024
const id = z.number().int().positive()
const report = z.object({
  status: z.string().regex(/^[a-z_]{1,40}$/, 'must be in_progress, success, failure or cancelled'),
  sha: commitSha,
  branch: branchName,
  run_id: id,
  run_attempt: id.max(2_147_483_647).default(1),
  action: z.string().max(40).optional(),
  network: z.string().max(40).optional(),
})

const budget = new ByteBudget(maxUnknownBytes)

const acknowledged = z.strictObject({ ok: z.boolean(), outcome: z.string() })

/** Unsigned and repeated deliveries have no effect. */
export const webhookRoutes: readonly Route<GitHubParts>[] = [
  githubRoute({
    method: 'POST',
    path: '/github/webhook',
    operationId: 'receiveWebhook',
    tag: 'Webhooks',
    summary: 'Receive an event of the GitHub App',
    response: acknowledged,
    handler: async ({ call }, parts) => {
      const secret = admit(call, parts)
      const [signature, event, delivery] = [
        call.header('X-Hub-Signature-256'),
        call.header('X-GitHub-Event'),
        call.header('X-GitHub-Delivery'),
      ]
      if (!/^sha256=[0-9a-f]{64}$/.test(signature))
        throw new ApiError(401, 'bad-signature', 'Header X-Hub-Signature-256 is missing or malformed.')
      if (event === '' || delivery === '')
        throw new ApiError(400, 'bad-event', 'Headers X-GitHub-Event and X-GitHub-Delivery are required.')
      const outcome = await withRawBody(call.request, { maxBytes: maxWebhookBytes, budget }, async (body) => {
        // Invalid UTF-8 changes in the conversion and fails the check.
        if (!(await new Webhooks({ secret }).verify(body.toString('utf8'), signature)))
          throw new ApiError(401, 'bad-signature', 'The signature does not match the body and the webhook secret.')
        return handleWebhook(parts, event, body, jsonOf(body))
      })
      parts.log.debug({ event, delivery: delivery.slice(0, 100), outcome }, 'Received a GitHub webhook')
      return { body: { ok: true, outcome } }
    },
  }),
  githubRoute({
    method: 'POST',
    path: '/github/webhook/deploy',
    operationId: 'receiveReport',
    tag: 'Webhooks',
    summary: 'Receive the report of a deploy workflow',
    query: z.object({ connection: z.string().optional() }),
    response: acknowledged,
    handler: async ({ query: { connection: connectionId = '' }, call }, parts) => {
      const secret = admit(call, parts)
      const [signature, timestamp] = [call.header('X-Signature-256'), call.header('X-Timestamp')]
      const outcome = await withRawBody(call.request, { maxBytes: maxReportBytes, budget }, async (body) => {
        const connection = z.uuid().safeParse(connectionId).success
          ? await parts.connections.find(connectionId)
          : undefined
        // An unknown connection and a wrong signature get the same response.
        const key = reportKey(secret, connection ?? { id: connectionId, callbackSalt: Buffer.alloc(32) })
        const isSigned = isSignedReport(key, timestamp, body, signature)
        if (connection === undefined || !isSigned)
          throw new ApiError(
            401,
            'bad-signature',
            'X-Signature-256 does not match X-Timestamp, the body and the key of the connection. Store the secrets ' +
              'of the environment again.',
          )
        const isCurrent =
          /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= reportSeconds
        if (!isCurrent)
          throw new ApiError(401, 'bad-signature', `X-Timestamp must be within ${reportSeconds} s of the current time.`)
        const delivery = Buffer.concat([Buffer.from(`${connection.id}.${timestamp}.`), body])
        return recordReport(parts, connection, parseBody(report, jsonOf(body)), delivery)
      })
      return { body: { ok: true, outcome } }
    },
  }),
]

/** @throws ApiError 429, 503 `no-webhook-secret` */
function admit({ client }: Call, { app: { webhookSecret }, takeWebhook }: GitHubParts): string {
  takeWebhook(client.address)
  if (webhookSecret === undefined)
    throw new ApiError(
      503,
      'no-webhook-secret',
      'GITHUB_APP_WEBHOOK_SECRET is not set, so events cannot be verified and are rejected.',
    )
  return webhookSecret
}

/** @throws ApiError 409 `repeated` */
async function recordReport(
  { pool, deliveries, deployments, environments }: GitHubParts,
  connection: Connection,
  { status, sha, branch, run_id: runId, run_attempt: attempt }: z.output<typeof report>,
  delivery: Buffer,
): Promise<string> {
  const isRunning = ['in_progress', 'started', 'pending'].includes(status)
  const now = new Date()
  return withRetriedTransaction(pool, async (db) => {
    if (!(await deliveries.isNew(db, 'workflow', delivery, 1)))
      throw new ApiError(409, 'repeated', 'This report was received before.')
    if (connection.offReason !== null) return 'not-of-interest'
    const deployment = await deployments.note(db, connection, await environments.list(connection.id, db), {
      runId,
      attempt,
      stage: isRunning ? 2 : 3,
      conclusion: isRunning ? null : status,
      sha,
      branch,
      trigger: 'report',
      logsUrl: null,
      message: null,
      author: null,
      startedAt: isRunning ? now : null,
      endedAt: isRunning ? null : now,
    })
    if (deployment === undefined) return 'not-of-interest'
    await notifyDeploy(db, deployMessage(connection.projectId, deployment))
    return 'taken'
  })
}

/**
 * Signatures cover the raw body. The rest of an oversized body stays unread. @throws ApiError 413
 * `body-too-large`, 415 `compressed-body`, 400 `incomplete-body`, 503 `busy`
 */
async function withRawBody<T>(
  request: IncomingMessage,
  { maxBytes, budget }: { readonly maxBytes: number; readonly budget: ByteBudget },
  run: (body: Buffer) => Promise<T>,
): Promise<T> {
  const { 'content-length': length = '0', 'content-encoding': coding = 'identity' } = request.headers
  if (coding.toLowerCase() !== 'identity')
    throw new ApiError(415, 'compressed-body', 'Content-Encoding is not supported.')
  const tooLarge = (): ApiError => new ApiError(413, 'body-too-large', `Body too large (limit ${maxBytes} bytes).`)
  if (Number(length) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (bytes + chunk.length > maxBytes) throw tooLarge()
        budget.take(chunk.length)
        bytes += chunk.length
        chunks.push(chunk)
      }
    } catch (error) {
      if (error instanceof ApiError || request.complete) throw error
      throw new ApiError(400, 'incomplete-body', 'The body is incomplete.', { cause: error })
    }
    return await run(Buffer.concat(chunks))
  } finally {
    budget.release(bytes)
  }
}

/** @throws ApiError 400 `bad-json` or `too-deep` */
function jsonOf(body: Buffer): unknown {
  if (!isShallowText(body)) throw tooDeep()
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown
  } catch (error) {
    throw new ApiError(
      400,
      'bad-json',
      'The body is not JSON. Set the content type of the webhook to application/json.',
      {
        cause: error,
      },
    )
  }
}
