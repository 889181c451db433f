import { z } from 'zod'
import { AnswerStream } from '../../../platform/http/route.ts'
import type { Route } from '../../../platform/http/route.ts'
import { failureFields, parametersField, presentFailure, statementField, targetField } from '../dto.ts'
import type { ExportState } from '../exports.ts'
import { exportFormats, exportLimits } from '../exports.ts'
import { maxBodyBytes, notAnObject, queryOptions, route } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'

const body = z.strictObject(
  {
    sql: statementField,
    target: targetField.default('indexer'),
    parameters: parametersField.default([]),
    format: z.enum(exportFormats, `must be ${exportFormats.join(' or ')}`).default('csv'),
  },
  notAnObject,
)

const state = z
  .strictObject({
    id: z.string(),
    format: z.enum(exportFormats),
    status: z.enum(['waiting', 'running', 'done', 'failed']),
    row_count: z.int().describe('Rows written so far.'),
    bytes: z.int().describe('Bytes written so far.'),
    truncated_by: z.enum(['rows', 'bytes']).nullable().describe('The limit of exports that was reached.'),
    ...failureFields,
  })
  .meta({ id: 'Export' })

function present({ id, request, status, rows, bytes, truncatedBy, failure }: ExportState): z.output<typeof state> {
  const { format } = request
  return { id, format, status, row_count: rows, bytes, truncated_by: truncatedBy ?? null, ...presentFailure(failure) }
}

const example: z.output<typeof state> = {
  id: '5f2c9e0a17b3d6845f2c9e0a17b3d684',
  format: 'csv',
  status: 'running',
  row_count: 41_200,
  bytes: 3_310_442,
  truncated_by: null,
  ...presentFailure(undefined),
}

const parquetType = 'application/vnd.apache.parquet'
const params = z.object({ id: z.string() })
const shared = { tag: 'Exports', access: 'token' } as const
const unknown = { 404: 'The export does not exist, or was deleted.' }
const { maxRows, maxBytes, maxMs, maxJobs, maxJobsPerClient } = exportLimits

export const exportRoutes: readonly Route<AskServices>[] = [
  route({
    ...shared,
    method: 'POST',
    path: '/api/v1/exports',
    operationId: 'startExport',
    summary: 'Export the result of a statement as CSV or Parquet in the background',
    description:
      `At most ${maxRows.toLocaleString('en-US')} rows, ${maxBytes / 1e6} MB and ${maxMs / 60_000} minutes. One ` +
      `export runs at a time; a client has at most ${maxJobsPerClient}, the service ${maxJobs}. ` +
      'Read its state at least ' +
      'once a minute, or it is cancelled. The file is deleted after an hour.',
    maxBodyBytes,
    body,
    bodyExample: { sql: 'SELECT height, timestamp FROM raw.blocks' },
    response: state,
    example,
    problems: { 429: 'Too many exports (`too-many-exports`); see `Retry-After`.' },
    handler: ({ body: request, caller, call }, { exports }) => ({
      body: present(exports.start(caller, queryOptions(call).client, request)),
    }),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/api/v1/exports/{id}',
    operationId: 'getExport',
    summary: 'Get the progress of an export',
    params,
    response: state,
    example,
    problems: unknown,
    handler: ({ params: { id }, caller }, { exports }) => ({ body: present(exports.find(caller, id)) }),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/api/v1/exports/{id}/file',
    operationId: 'downloadExport',
    summary: 'Download the file of a finished export',
    params,
    contentType: 'text/csv; charset=utf-8',
    response: z.string(),
    example: 'height,timestamp\r\n137390146,2026-11-20T09:14:03.512Z\r\n',
    otherTypes: { [parquetType]: 'If the format is `parquet`.' },
    problems: { ...unknown, 409: 'The export is not done.' },
    handler: ({ params: { id }, caller }, { exports }) => {
      const { format } = exports.find(caller, id).request
      return {
        body: new AnswerStream(format === 'csv' ? 'text/csv; charset=utf-8' : parquetType, exports.read(caller, id)),
        headers: { 'Content-Disposition': `attachment; filename="flowfarm.${format}"` },
      }
    },
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/exports/{id}',
    operationId: 'deleteExport',
    summary: 'Cancel an export or delete its file',
    params,
    response: z.strictObject({ status: z.string() }),
    example: { status: 'deleted' },
    problems: unknown,
    handler: ({ params: { id }, caller }, { exports }) => {
      exports.delete(caller, id)
      return { body: { status: 'deleted' } }
    },
  }),
]
