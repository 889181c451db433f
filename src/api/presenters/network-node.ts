import { z } from 'zod'
import { addressFormat, amountFormat, countFormat, idFormat } from '../formats/formats.ts'

const roles = ['collection', 'consensus', 'execution', 'verification', 'access'] as const
const roleFormat = z
  .int()
  .min(1)
  .max(5)
  .nullable()
  .describe('1 collection, 2 consensus, 3 execution, 4 verification, 5 access; null while nothing told.')

/** A node of the network. What it has is without its delegators. */
export const networkNodeSchema = z
  .strictObject({
    node_id: idFormat,
    epoch: countFormat.nullable().describe('Newest epoch that it is or will be in; null: none that is indexed.'),
    address: addressFormat.nullable().describe('Account that registered it; null where that block is not indexed.'),
    role: roleFormat,
    networking_address: z.string().describe('Host and port; empty while nothing told.'),
    tokens_staked: amountFormat.describe('FLOW staked in this epoch.'),
    tokens_committed: amountFormat.describe('FLOW that is staked when the next epoch starts.'),
    tokens_unstaking: amountFormat.describe('FLOW that is free when the next epoch starts.'),
    tokens_unstaked: amountFormat.describe('FLOW that may be withdrawn.'),
    tokens_rewarded: amountFormat.describe('FLOW earned that may be withdrawn.'),
    delegator_count: countFormat.describe('Delegators that it ever had.'),
    is_participant: z.boolean().describe('Whether it takes part in the newest epoch that is known.'),
  })
  .meta({ id: 'NetworkNode' })
export type NetworkNode = z.output<typeof networkNodeSchema>

const nodesOfRoleSchema = z
  .strictObject({
    role: roleFormat,
    role_name: z.enum(roles).nullable(),
    node_count: countFormat,
    participant_count: countFormat.describe('Those of them that take part in the newest epoch that is known.'),
    tokens_staked: amountFormat.describe('FLOW that they staked themselves.'),
  })
  .meta({ id: 'NodesOfRole' })
export type NodesOfRole = z.output<typeof nodesOfRoleSchema>

/** A page of nodes, with what all of them come to. */
export const networkNodesSchema = z
  .strictObject({
    data: z.array(networkNodeSchema),
    has_more: z.boolean().describe('Whether there are items after this page.'),
    cursor: z.string().describe('Ask with this `cursor` for the next page; empty on the last page.'),
    _meta: z.strictObject({ limit: z.int(), count: z.int().describe('Items of this page.') }),
    node_count: countFormat.describe('All nodes.'),
    participant_count: countFormat.describe('Those that take part in the newest epoch that is known.'),
    nodes_by_role: z.array(nodesOfRoleSchema),
  })
  .meta({ id: 'NetworkNodeList' })

/** What the nodes of one role come to, as it is read. */
export const roleRow = z.object({
  role: z.number().nullable(),
  node_count: z.number(),
  participant_count: z.number(),
  tokens_staked: z.string(),
})

export function presentRole(row: z.output<typeof roleRow>): NodesOfRole {
  return { ...row, role_name: row.role === null ? null : (roles[row.role - 1] ?? null) }
}
