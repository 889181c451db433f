import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import {
  advertised,
  failedWith,
  failureFields,
  noFailure,
  readingClosedWorld,
  registerTool,
  toolResult,
} from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'
import { isLoopback } from '../../platform/limits/clients.ts'
import type { AlertStore } from '../query/alerts/alert-store.ts'
import { alertBody, alertSchema, checkAlert, idOf, presentAlert } from '../query/http/alert-routes.ts'
import type { QueryService } from '../query/query-service.ts'

export const alertToolNames = { create: 'create_alert', list: 'list_alerts', delete: 'delete_alert' } as const

export interface AlertTools {
  readonly store: AlertStore
  readonly queries: QueryService
  /** Undefined for callers without an identity. */
  readonly owner: string | undefined
}

const createdOutput = advertised(
  z.object({
    alert: alertSchema.nullable(),
    secret: z.string().nullable().describe('Signs the deliveries of a webhook. Not returned again.'),
    ...failureFields,
  }),
)
const listOutput = advertised(z.object({ alerts: z.array(alertSchema), ...failureFields }))
const deletedOutput = advertised(z.object({ status: z.string().nullable(), ...failureFields }))

export function registerAlertTools(
  server: McpServer,
  { store, queries, owner }: AlertTools,
  context: CallContext,
): void {
  const ownerOf = (): string => {
    if (owner !== undefined) return owner
    throw new ApiError(
      403,
      'alerts-need-key',
      'Alerts need a developer key, so that only you can read and delete yours.',
    )
  }
  const { client } = context
  const requestedBy = client === undefined || isLoopback(client) ? undefined : client
  registerTool(server, context, {
    name: alertToolNames.create,
    title: 'Create an alert',
    description:
      'Runs a statement on a schedule, and posts a webhook or sends an e-mail when a condition becomes true ("tell ' +
      'me when …"). Test the statement with run_indexer_sql first, and have the user confirm it, the condition and ' +
      'the URL or address. The recipient of an e-mail alert must also confirm it by a mailed link.',
    schema: alertBody,
    output: createdOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    run: async (given, signal) => {
      const own = ownerOf()
      await checkAlert(queries, given, { signal, client: context.client })
      const { interval_seconds: intervalSeconds, repeat_hours: repeatHours, ...rest } = given
      const { alert, secret } = await store.create(own, { ...rest, intervalSeconds, repeatHours }, requestedBy)
      return toolResult({ alert: { ...presentAlert(alert), email: alert.email }, secret, ...noFailure })
    },
    failed: failedWith({ alert: null, secret: null }),
  })
  registerTool(server, context, {
    name: alertToolNames.list,
    title: 'List alerts',
    description: 'Your alerts with their statement, condition, state and last value.',
    schema: z.strictObject({}),
    output: listOutput,
    annotations: readingClosedWorld,
    run: async () => {
      const alerts = (await store.list(ownerOf())).map((alert) => ({
        ...presentAlert(alert),
        // Paths of webhooks are often secrets, which no model needs.
        url: alert.url === null ? null : new URL(alert.url).origin,
      }))
      return toolResult({ alerts, ...noFailure })
    },
    failed: failedWith({ alerts: [] }),
  })
  registerTool(server, context, {
    name: alertToolNames.delete,
    title: 'Delete an alert',
    description: 'Deletes one of your alerts with its history and pending deliveries. Have the user confirm it.',
    schema: z.strictObject({ id: z.string('must be a string').describe('Id, from list_alerts.') }),
    output: deletedOutput,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: async (given) => {
      await store.delete(ownerOf(), idOf(given))
      return toolResult({ status: 'deleted', ...noFailure })
    },
    failed: failedWith({ status: null }),
  })
}
