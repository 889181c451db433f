import type { IncomingMessage } from 'node:http'
import type { Router } from '@koa/router'
import { Webhooks } from '@octokit/webhooks'
import { z } from 'zod'
import { branchName, commitSha } from './api/names.ts'
import { isSignedReport, reportKey, reportSeconds } from './deploy-workflow.ts'
import { handleWebhook } from './handle-webhook.ts'
import type { GitHubParts } from './own-route.ts'
import { deployMessage, tellDeploy } from './stores/deployment-store.ts'
import { ByteBudget } from '../../platform/limits/byte-budget.ts'
import { withRetriedTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import type { RequestContext, RequestState } from '../../platform/http/requests.ts'
import { isShallowText, tooDeep } from '../../platform/http/read-json.ts'
import { parseBody } from '../../platform/http/parse-input.ts'

const maxWebhookBytes = 5 * 1024 * 1024
const maxReportBytes = 16 * 1024
/** Of all bodies whose signature is not checked yet, in one process. */
const maxUnknownBytes = 64 * 1024 * 1024
const id = z.number().int().positive()
const report = z.object({
  status: z.string().regex(/^[a-z_]{1,40}$/, 'has to be in_progress, success, failure or cancelled'),
  sha: commitSha,
  branch: branchName,
  run_id: id,
  run_attempt: id.max(2_147_483_647).default(1),
  action: z.string().max(40).optional(),
  network: z.string().max(40).optional(),
})

/** What GitHub and workflows send: nothing of it counts without the right signature, and nothing counts twice. */
export function addWebhookRoutes(router: Router<RequestState>, parts: GitHubParts): void {
  const {
    app: { webhookSecret },
    limits,
    clientOf,
    log,
  } = parts
  const verifier = webhookSecret === undefined ? undefined : new Webhooks({ secret: webhookSecret })

  const budget = new ByteBudget(maxUnknownBytes)

  const admit = (context: RequestContext): void => {
    context.set('Cache-Control', 'no-store')
    limits.ofClient(clientOf(context.req).address, 'webhook')
    if (verifier === undefined)
      throw new ApiError(
        503,
        'no-webhook-secret',
        "GITHUB_APP_WEBHOOK_SECRET is not set: without it nobody can show that an event is GitHub's, and none " +
          'is taken.',
      )
  }

  router.post('/webhook', async (context) => {
    context.state.route = '/github/webhook'
    admit(context)
    const [signature, event, delivery] = [
      context.get('X-Hub-Signature-256'),
      context.get('X-GitHub-Event'),
      context.get('X-GitHub-Delivery'),
    ]
    if (!/^sha256=[0-9a-f]{64}$/.test(signature))
      throw new ApiError(401, 'bad-signature', 'X-Hub-Signature-256 is missing or is none.')
    if (event === '' || delivery === '')
      throw new ApiError(400, 'bad-event', 'X-GitHub-Event and X-GitHub-Delivery are missing.')
    const outcome = await withRawBody(context.req, { maxBytes: maxWebhookBytes, budget }, async (body) => {
      // Bytes that are no text become others in it, and then the signature is not of them.
      if ((await verifier?.verify(body.toString('utf8'), signature)) !== true)
        throw new ApiError(401, 'bad-signature', 'The signature is not of this body by the secret of the webhook.')
      return handleWebhook(parts, event, body, jsonOf(body))
    })
    log.debug({ event, delivery: delivery.slice(0, 100), outcome }, 'GitHub told something')
    answer(context, { ok: true, outcome })
  })

  router.post('/webhook/deploy', async (context) => {
    context.state.route = '/github/webhook/deploy'
    admit(context)
    const [signature, timestamp, connectionId] = [
      context.get('X-Signature-256'),
      context.get('X-Timestamp'),
      context.URL.searchParams.get('connection') ?? '',
    ]
    const isInTime = /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= reportSeconds
    const outcome = await withRawBody(context.req, { maxBytes: maxReportBytes, budget }, async (body) => {
      const connection = z.uuid().safeParse(connectionId).success
        ? await parts.connections.find(connectionId)
        : undefined
      // Of a connection that there is not, and of one that there is, a wrong signature is answered alike.
      const key = reportKey(webhookSecret ?? '', connection ?? { id: connectionId, callbackSalt: Buffer.alloc(32) })
      const isSigned = isSignedReport(key, timestamp, body, signature)
      if (connection === undefined || !isSigned)
        throw new ApiError(
          401,
          'bad-signature',
          'X-Signature-256 is not of X-Timestamp and this body by the key of the connection. Put the secrets of ' +
            'the environment once more.',
        )
      if (!isInTime) throw new ApiError(401, 'bad-signature', `X-Timestamp has to be within ${reportSeconds} s of now.`)
      const { status, sha, branch, run_id: runId, run_attempt: attempt } = parseBody(report, jsonOf(body))
      const isRunning = ['in_progress', 'started', 'pending'].includes(status)
      const now = new Date()
      return withRetriedTransaction(parts.pool, async (db) => {
        if (
          !(await parts.deliveries.isNew(
            db,
            'workflow',
            Buffer.concat([Buffer.from(`${connection.id}.${timestamp}.`), body]),
            1,
          ))
        )
          throw new ApiError(409, 'repeated', 'This report was sent before.')
        const deployment =
          connection.offReason !== null
            ? undefined
            : await parts.deployments.note(db, connection, await parts.environments.list(connection.id, db), {
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
        await tellDeploy(db, deployMessage(connection.projectId, deployment))
        return 'taken'
      })
    })
    answer(context, { ok: true, outcome })
  })
}

function answer(context: RequestContext, body: unknown): void {
  context.status = 200
  context.type = 'application/json'
  context.body = JSON.stringify(body)
}

/**
 * Runs `run` with the raw body, which signatures are of. The rest of a body that is too large stays unread.
 * @throws ApiError 413 `body-too-large`, 415 `compressed-body`, 400 `incomplete-body`, 503 `busy`; as `run`
 */
async function withRawBody<T>(
  request: IncomingMessage,
  { maxBytes, budget }: { readonly maxBytes: number; readonly budget: ByteBudget },
  run: (body: Buffer) => Promise<T>,
): Promise<T> {
  const { 'content-length': length = '0', 'content-encoding': coding = 'identity' } = request.headers
  if (coding.toLowerCase() !== 'identity')
    throw new ApiError(415, 'compressed-body', 'Send the body as it is, without Content-Encoding.')
  const tooLarge = (): ApiError => new ApiError(413, 'body-too-large', `A body has at most ${maxBytes} bytes.`)
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
      throw new ApiError(400, 'incomplete-body', 'The connection ended before the body did.', { cause: error })
    }
    return await run(Buffer.concat(chunks))
  } finally {
    budget.giveBack(bytes)
  }
}

/** A body whose signature was found right, as JSON. @throws ApiError 400 `bad-json` or `too-deep` */
function jsonOf(body: Buffer): unknown {
  if (!isShallowText(body)) throw tooDeep()
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown
  } catch (error) {
    throw new ApiError(400, 'bad-json', 'The body is not JSON. Have the webhook send application/json.', {
      cause: error,
    })
  }
}
