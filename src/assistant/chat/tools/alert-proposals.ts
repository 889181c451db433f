import { tool } from 'ai'
import type { ToolSet } from 'ai'
import { z } from 'zod'
import { parseBody } from '../../../platform/http/parse-input.ts'
import { alertToolNames } from '../../mcp/alert-tools.ts'
import { operators } from '../../query/alerts/condition.ts'
import { alertBody } from '../../query/http/alert-routes.ts'
import { toolInputSchema } from './tool-input-schema.ts'

/** Tools that run only after the user confirmed them on the page. */
export const confirmedTools = [alertToolNames.create, alertToolNames.delete] as const
export type ConfirmedTool = (typeof confirmedTools)[number]

/** Without a union, which some providers refuse. */
const forModels = alertBody.extend({
  condition: z.strictObject({
    kind: z.enum(['rows', 'no_rows', 'changed', 'compare']).describe('`compare` needs operator and number.'),
    operator: z.enum(operators).optional(),
    number: z.string().optional().describe('Decimal, as text.'),
  }),
})
const removed = z.strictObject({
  id: z.string('must be a string').max(100).describe('Id, from list_alerts.'),
  name: z.string('must be a string').max(100).describe('Its name.'),
})

const waiting = 'Shown to the user, who confirms it on the page. It is not done yet: do not claim that it is.'

interface ProposalOptions {
  readonly name: ConfirmedTool
  readonly description: string
  readonly read: z.ZodType<object>
  readonly schema: z.ZodType
}

function proposal({ name, description, read, schema }: ProposalOptions): ToolSet[string] {
  return tool({
    description,
    inputSchema: toolInputSchema(schema),
    execute: (input: unknown) => ({ status: 'unconfirmed', action: name, ...parseBody(read, input) }),
    toModelOutput: () => ({ type: 'text', value: waiting }),
  })
}

/** Instead of the tools that the model must not run itself. */
export function alertProposals(found: ToolSet): ToolSet {
  const all: Readonly<Record<ConfirmedTool, ToolSet[string]>> = {
    [alertToolNames.create]: proposal({
      name: alertToolNames.create,
      description:
        'Proposes an alert: a statement that runs on a schedule, and posts a webhook or sends an e-mail when a ' +
        'condition becomes true. Test the statement with run_indexer_sql first. The user adds the URL or address, ' +
        'and confirms.',
      schema: forModels,
      read: alertBody,
    }),
    [alertToolNames.delete]: proposal({
      name: alertToolNames.delete,
      description: 'Proposes to delete an alert. The user confirms.',
      schema: removed,
      read: removed,
    }),
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in found))
}
