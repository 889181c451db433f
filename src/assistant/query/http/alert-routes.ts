import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import type { Call, Route } from '../../../platform/http/route.ts'
import { limitKey } from '../../../platform/limits/clients.ts'
import { maskEmail, readEmail } from '../../../platform/mail/email-address.ts'
import type { Alert, AlertDelivery, AlertRun, NewAlert } from '../alerts/alert.ts'
import { mailLimits } from '../alerts/alert-mails.ts'
import { alertLimits } from '../alerts/alert-store.ts'
import { operators, readCondition, UnsuitableValue } from '../alerts/condition.ts'
import { exampleQuestions, readAlertQuestion, statementQuestion } from '../alerts/read-alert-question.ts'
import type { AlertQuestion } from '../alerts/read-alert-question.ts'
import {
  cleanText,
  failureFields,
  nameField,
  parametersField,
  presentFailure,
  questionField,
  statementField,
  targetField,
} from '../dto.ts'
import type { GeneratedSql, QueryOptions, QueryService, QueryTarget } from '../query-service.ts'
import { maxBodyBytes, notAnObject, queryOptions, route } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'

const conditionField = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.enum(['rows', 'no_rows', 'changed']) }),
      z.strictObject({
        kind: z.literal('compare'),
        operator: z.enum(operators, `must be ${operators.join(' ')}`),
        number: z.string().regex(/^-?\d{1,40}(\.\d{1,40})?$/, 'must be a decimal number such as 12.5, as text'),
      }),
    ],
    'must have a kind: rows, no_rows, compare or changed',
  )
  .describe(
    'When the alert is true: the statement returns `rows` or `no_rows`; its first column of the first row, compared ' +
      'with a number, or `changed` since the last run.',
  )

const wholeNumber = (min: number, max: number): z.ZodInt => {
  const message = `must be a whole number from ${min} to ${max}`
  return z.int(message).min(min, message).max(max, message)
}

const intervalField = wholeNumber(60, 86_400).describe('Seconds from the end of a run to the next one.')
const repeatField = wholeNumber(1, 720)
  .nullable()
  .describe('Hours after which a true condition is reported again; null: only when it becomes true.')
const urlField = z.string('must be a string').max(2000, 'must have at most 2000 characters')
const emailField = z
  .string('must be a string')
  .refine((text) => readEmail(text) !== undefined, 'must be an e-mail address such as name@example.com')
  .overwrite((text) => readEmail(text) ?? text)

export const alertBody = z.strictObject(
  {
    name: nameField,
    target: targetField.default('indexer'),
    question: cleanText(4000).default(''),
    sql: statementField.refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be text'),
    parameters: parametersField.default([]),
    condition: conditionField,
    interval_seconds: intervalField.default(300),
    repeat_hours: repeatField.default(null),
    url: urlField.nullable().default(null).describe('Receiver of a webhook: https on the public internet.'),
    email: emailField
      .nullable()
      .default(null)
      .describe('Recipient of e-mails, instead of `url`; must confirm the alert.'),
  },
  notAnObject,
)

const time = z.string().nullable()

const alertFields = {
  id: z.string(),
  name: z.string(),
  target: targetField,
  question: z.string(),
  sql: z.string(),
  parameters: parametersField,
  condition: conditionField,
  interval_seconds: z.int(),
  repeat_hours: z.int().nullable(),
  url: z.string().nullable().describe('Receiver of the webhook; null for an e-mail alert.'),
  email: z.string().nullable().describe('Recipient of e-mails, masked except in the response that creates the alert.'),
  state: z.enum(['active', 'paused', 'unconfirmed']).describe('`unconfirmed`: deleted 24 hours after its creation.'),
  paused_reason: z
    .enum(['owner', 'failures', 'webhook', 'unsubscribed', 'mail'])
    .nullable()
    .describe(
      `\`failures\`: ${alertLimits.failures} runs in a row failed; \`webhook\`: its endpoint was deleted; ` +
        '`unsubscribed`: by the recipient; `mail`: an e-mail could not be sent, see `last_error`.',
    ),
  is_met: z.boolean().nullable().describe('Whether the condition held at the last run; null before it.'),
  last_value: z.string().nullable().describe('First column of the first row at the last run, as text.'),
  last_run_at: time,
  last_fired_at: time,
  last_error: z.string().nullable(),
  failures: z.int().describe('Consecutive runs that failed because of the statement.'),
  next_run_at: z.string(),
  created_at: z.string(),
}

export const alertSchema = z.strictObject(alertFields).meta({ id: 'Alert' })

const runSchema = z
  .strictObject({
    run: z.int(),
    finished_at: z.string(),
    duration_ms: z.int(),
    is_met: z.boolean().nullable().describe('Null if the run failed.'),
    has_fired: z.boolean(),
    row_count: z.int().nullable().describe('Rows, counted up to 20.'),
    value: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'AlertRun' })

const deliverySchema = z
  .strictObject({
    sequence: z.int(),
    status: z.enum(['pending', 'delivered', 'dead']).describe('`dead`: given up after too many attempts.'),
    attempt_count: z.int(),
    response_status: z.int().nullable(),
    error: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'AlertDelivery' })

const proposalSchema = z
  .strictObject({
    name: z.string(),
    target: targetField,
    question: z.string(),
    sql: z.string(),
    condition: conditionField,
    interval_seconds: z.int(),
    ...failureFields,
  })
  .meta({ id: 'AlertProposal' })

/** Users of an installation may share API_TOKEN, so it masks the address. */
export function presentAlert(alert: Alert): z.output<typeof alertSchema> {
  const { id, name, target, question, sql, parameters, condition, url, email, failures } = alert
  return {
    id,
    name,
    target,
    question,
    sql,
    parameters: [...parameters],
    condition,
    interval_seconds: alert.intervalSeconds,
    repeat_hours: alert.repeatHours,
    url,
    email: email === null ? null : maskEmail(email),
    ...stateOf(alert),
    is_met: alert.isMet,
    last_value: alert.lastValue,
    last_run_at: alert.lastRunAt?.toISOString() ?? null,
    last_fired_at: alert.lastFiredAt?.toISOString() ?? null,
    last_error: alert.lastError,
    failures,
    next_run_at: alert.nextRunAt.toISOString(),
    created_at: alert.createdAt.toISOString(),
  }
}

function stateOf({ pausedReason }: Alert): Pick<z.output<typeof alertSchema>, 'state' | 'paused_reason'> {
  if (pausedReason === 'unconfirmed') return { state: 'unconfirmed', paused_reason: null }
  return { state: pausedReason === null ? 'active' : 'paused', paused_reason: pausedReason }
}

function presentRun({
  run,
  finishedAt,
  durationMs,
  isMet,
  hasFired,
  rowCount,
  value,
  error,
}: AlertRun): z.output<typeof runSchema> {
  return {
    run,
    finished_at: finishedAt.toISOString(),
    duration_ms: durationMs,
    is_met: isMet,
    has_fired: hasFired,
    row_count: rowCount,
    value,
    error,
  }
}

function presentDelivery(delivery: AlertDelivery): z.output<typeof deliverySchema> {
  const { sequence, status, attemptCount, responseStatus, error, createdAt } = delivery
  return {
    sequence,
    status,
    attempt_count: attemptCount,
    response_status: responseStatus,
    error,
    created_at: createdAt.toISOString(),
  }
}

/** So that neither a failing statement nor an unsuitable condition is stored. @throws ApiError 400 */
export async function checkAlert(
  service: QueryService,
  {
    target,
    sql,
    parameters,
    condition,
    url,
    email,
  }: Omit<NewAlert, 'name' | 'question' | 'intervalSeconds' | 'repeatHours'>,
  options: QueryOptions,
): Promise<void> {
  if ((url === null) === (email === null))
    throw new ApiError(400, 'invalid-field', 'Set exactly one of the fields "url" (webhook) and "email".', {
      field: url === null ? 'url' : 'email',
    })
  const { rows } = await service.runSql(target, sql, { ...options, parameters, maxRows: 1 })
  try {
    readCondition(condition, rows, { isMet: null, value: null })
  } catch (error) {
    if (!(error instanceof UnsuitableValue)) throw error
    throw new ApiError(400, 'invalid-field', `Field "condition" does not suit the statement. ${error.message}`, {
      field: 'condition',
    })
  }
}

/** The scripted model knows example questions only. */
async function writeStatement(
  service: QueryService,
  target: QueryTarget,
  alert: AlertQuestion,
  options: QueryOptions,
): Promise<GeneratedSql> {
  if (service.model?.isScripted !== true) return await service.generateSql(target, statementQuestion(alert), options)
  const known = new Set(service.examples(target).flatMap(({ questions }) => questions.map(plainQuestion)))
  const example = exampleQuestions(alert).find((each) => known.has(plainQuestion(each)))
  return await service.generateSql(target, example ?? alert.subject, options)
}

const plainQuestion = (text: string): string => text.trim().toLowerCase()

const shared = { tag: 'Alerts', access: 'token', problems: { 503: 'The database is unavailable.' } } as const
const ofOne = {
  ...shared,
  params: z.object({ id: z.string() }),
  problems: { ...shared.problems, 404: 'No alert has this id.' },
} as const

const sql = 'SELECT max(height) AS height FROM raw.blocks'
const bodyExample: z.input<typeof alertBody> = {
  name: 'Block 200,000,000',
  question: 'Tell me when the newest indexed block is above 200,000,000',
  sql,
  condition: { kind: 'compare', operator: '>', number: '200000000' },
  interval_seconds: 300,
  url: 'https://example.com/hooks/flow',
}
const example: z.output<typeof alertSchema> = {
  id: '5f2c9e0a17b3d684',
  name: 'Block 200,000,000',
  target: 'indexer',
  question: 'Tell me when the newest indexed block is above 200,000,000',
  sql,
  parameters: [],
  condition: { kind: 'compare', operator: '>', number: '200000000' },
  interval_seconds: 300,
  repeat_hours: null,
  url: 'https://example.com/hooks/flow',
  email: null,
  state: 'active',
  paused_reason: null,
  is_met: false,
  last_value: '137390146',
  last_run_at: '2026-11-20T09:14:03.512Z',
  last_fired_at: null,
  last_error: null,
  failures: 0,
  next_run_at: '2026-11-20T09:19:03.512Z',
  created_at: '2026-11-20T09:14:02.018Z',
}

/** Ids of another form are unknown, without a query. */
export function idOf({ id }: { readonly id: string }): string {
  if (/^[0-9a-f]{16}$/.test(id)) return id
  throw new ApiError(404, 'unknown-alert', 'No alert has this id.', { field: 'id' })
}

const requestedBy = ({ client }: Call): string | undefined => limitKey(client)

export const alertRoutes: readonly Route<AskServices>[] = [
  route({
    ...shared,
    method: 'GET',
    path: '/api/v1/alerts',
    operationId: 'listAlerts',
    summary: 'List the alerts of this token, newest first',
    response: z.strictObject({ data: z.array(alertSchema) }),
    example: { data: [example] },
    handler: async ({ caller }, { alerts }) => ({ body: { data: (await alerts.list(caller)).map(presentAlert) } }),
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/api/v1/alerts',
    operationId: 'createAlert',
    summary: 'Create an alert: a statement on a schedule with a condition, and a webhook or an e-mail address',
    description:
      `The statement is run once to check it. A token has at most ${alertLimits.perOwner} alerts, the service ` +
      `${alertLimits.total}. The response has the \`secret\` that signs the deliveries of a webhook, once. The ` +
      `recipient of an e-mail alert confirms it first, within 24 hours: it is \`unconfirmed\` until then. Limits of ` +
      `e-mails in 24 hours: ${mailLimits.alertsPerAlert} of an alert, ${mailLimits.alertsPerMailbox} to an address.`,
    maxBodyBytes,
    body: alertBody,
    bodyExample,
    response: z.strictObject({ ...alertFields, secret: z.string().nullable() }).meta({ id: 'CreatedAlert' }),
    example: { ...example, secret: 'whsec_k0XvB1Tn8cQ4uYw2Zr6Lm3Hs9Jd5Fg7PaEiOxNtRbCk=' },
    problems: {
      ...shared.problems,
      409: 'Too many alerts (`alerts-full`).',
      429: 'Too many queued statements (`too-many-statements`) or e-mails to confirm (`too-many-confirmations`).',
      504: 'The statement took longer than QUERY_TIMEOUT_S.',
    },
    handler: async ({ body: given, caller, call }, { alerts, service }) => {
      await checkAlert(service, given, queryOptions(call))
      const { interval_seconds: intervalSeconds, repeat_hours: repeatHours, ...rest } = given
      const { alert, secret } = await alerts.create(
        caller,
        { ...rest, intervalSeconds, repeatHours },
        requestedBy(call),
      )
      return { body: { ...presentAlert(alert), email: alert.email, secret } }
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/api/v1/alerts/propose',
    operationId: 'proposeAlert',
    summary: 'Propose the statement and the condition of “Tell me when …”, without creating an alert',
    description: 'Rules read the condition and the schedule; the model writes the statement. Review both.',
    maxBodyBytes,
    body: z.strictObject({ question: questionField, target: targetField.default('indexer') }, notAnObject),
    bodyExample: { question: 'Tell me when the newest indexed block is above 200,000,000' },
    response: proposalSchema,
    example: {
      name: 'The newest indexed block is above 200,000,000',
      target: 'indexer',
      question: 'Tell me when the newest indexed block is above 200,000,000',
      sql,
      condition: { kind: 'compare', operator: '>', number: '200000000' },
      interval_seconds: 300,
      ...presentFailure(undefined),
    },
    problems: {
      404: 'The database is not configured.',
      429: 'Too many queued statements of this client (`too-many-statements`); see `Retry-After`.',
      502: 'The model failed or wrote no statement; see `detail`.',
      503: 'No model is configured (`no-model`), or the database is unavailable; see `detail`.',
      504: 'The statement could not be planned within QUERY_TIMEOUT_S.',
    },
    handler: async ({ body: { question, target }, call }, { service }) => {
      const alert = readAlertQuestion(question)
      const written = await writeStatement(service, target, alert, queryOptions(call))
      return {
        body: {
          name: alert.name,
          target,
          question,
          sql: written.sql,
          condition: alert.condition,
          interval_seconds: alert.intervalSeconds,
          ...presentFailure(written.failure),
        },
      }
    },
  }),
  route({
    ...ofOne,
    method: 'GET',
    path: '/api/v1/alerts/{id}',
    operationId: 'getAlert',
    summary: `Get an alert with its newest ${alertLimits.runs} runs and deliveries`,
    response: z.strictObject({ alert: alertSchema, runs: z.array(runSchema), deliveries: z.array(deliverySchema) }),
    example: {
      alert: example,
      runs: [
        {
          run: 1,
          finished_at: '2026-11-20T09:14:03.512Z',
          duration_ms: 4,
          is_met: false,
          has_fired: false,
          row_count: 1,
          value: '137390146',
          error: null,
        },
      ],
      deliveries: [],
    },
    handler: async ({ params, caller }, { alerts }) => {
      const alert = await alerts.find(caller, idOf(params))
      const [runs, deliveries] = await Promise.all([alerts.runs(alert.id), alerts.deliveries(alert)])
      return {
        body: { alert: presentAlert(alert), runs: runs.map(presentRun), deliveries: deliveries.map(presentDelivery) },
      }
    },
  }),
  route({
    ...ofOne,
    method: 'POST',
    path: '/api/v1/alerts/{id}/pause',
    operationId: 'pauseAlert',
    summary: 'Pause an alert',
    response: alertSchema,
    example: { ...example, state: 'paused', paused_reason: 'owner' },
    handler: async ({ params, caller }, { alerts }) => ({
      body: presentAlert(await alerts.pause(caller, idOf(params))),
    }),
  }),
  route({
    ...ofOne,
    method: 'POST',
    path: '/api/v1/alerts/{id}/resume',
    operationId: 'resumeAlert',
    summary: 'Resume an alert and its webhook, and run it; sends the e-mail of an unconfirmed alert again',
    response: alertSchema,
    example,
    problems: {
      ...ofOne.problems,
      409: 'The recipient unsubscribed (`alert-unsubscribed`).',
      429: 'Too many e-mails to confirm (`too-many-confirmations`).',
    },
    handler: async ({ params, caller, call }, { alerts }) => ({
      body: presentAlert(await alerts.resume(caller, idOf(params), requestedBy(call))),
    }),
  }),
  route({
    ...ofOne,
    method: 'POST',
    path: '/api/v1/alerts/{id}/run',
    operationId: 'runAlert',
    summary: 'Run an alert within seconds',
    response: alertSchema,
    example,
    problems: { ...ofOne.problems, 409: 'The alert is paused (`alert-paused`).' },
    handler: async ({ params, caller }, { alerts }) => ({
      body: presentAlert(await alerts.runSoon(caller, idOf(params))),
    }),
  }),
  route({
    ...ofOne,
    method: 'DELETE',
    path: '/api/v1/alerts/{id}',
    operationId: 'deleteAlert',
    summary: 'Delete an alert with its history and pending deliveries',
    response: z.strictObject({ status: z.string() }),
    example: { status: 'deleted' },
    handler: async ({ params, caller }, { alerts }) => {
      await alerts.delete(caller, idOf(params))
      return { body: { status: 'deleted' } }
    },
  }),
]
