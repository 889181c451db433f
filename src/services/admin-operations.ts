import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import type { AdminOperations } from '../explorer/admin/operations.ts'
import { ApiError } from '../platform/errors.ts'
import { difference, union } from '../platform/ranges.ts'
import type { Network } from '../flow/network.ts'
import { scriptTemplate } from '../flow/code/script-template.ts'
import { query } from '../platform/db/pool.ts'
import { ingesterServices, readCoverage } from '../farm/coverage/coverage.ts'
import { resolveErrors, listIndexingErrors } from '../farm/overview/indexing-errors.ts'
import { listLabels, putLabel, removeLabels } from '../explorer/admin/labels.ts'
import { announceFarmWork } from '../platform/db/announce-farm-work.ts'
import { addRederiveRequest, listOpenRequests } from '../farm/coverage/requests.ts'
import { listTemplates, putTemplate, removeTemplate } from '../explorer/admin/templates.ts'

/** What the admin routes of the API do, done by those that own the tables. */
export function adminOperations(pool: pg.Pool, network: () => Network): AdminOperations {
  return {
    listLabels: (address) => listLabels(pool, address),
    putLabel: (label) => putLabel(pool, label),
    removeLabel: async (address, tag) => (await removeLabels(pool, address, tag)) > 0,
    listTemplates: () => listTemplates(pool),
    putTemplate: async (script, names) => {
      const text = 'text' in script ? script.text : await storedScript(pool, script.hash)
      if (text === undefined) return undefined
      const template = { normalHash: scriptTemplate(text, network()).normalHash, ...names }
      await putTemplate(pool, template)
      return template
    },
    removeTemplate: (normalHash) => removeTemplate(pool, normalHash),
    listErrors: (filter) => listIndexingErrors(pool, filter),
    resolveErrors: (choice) => resolveErrors(pool, choice),
    listRequests: () => listOpenRequests(pool),
    deriveAgain: async (names, from, to) => {
      requireWorkers(names)
      await requireStored(pool, from, to)
      const { id, reopened } = await addRederiveRequest(pool, workers, names, { from, to })
      return { id, workers: reopened }
    },
    askAgain: (tokens) => askAgain(pool, tokens),
  }
}

async function storedScript(pool: pg.Pool, hash: string): Promise<string | undefined> {
  const {
    rows: [row],
  } = await query<{ text: string }>(
    pool,
    "select script_text as text from raw.scripts where script_hash = decode($1, 'hex')",
    [hash],
  )
  return row?.text
}

function requireWorkers(names: readonly string[]): void {
  const known = workers.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new ApiError(400, 'unknown-worker', `There is no worker "${unknown}". Workers: ${known.join(', ')}.`, {
    field: 'workers',
  })
}

async function requireStored(pool: pg.Pool, from: number, to: number): Promise<void> {
  const coverage = await readCoverage(pool, ingesterServices)
  const stored = [...coverage.values()].reduce(union, [])
  const [missing] = difference([{ from, to }], stored)
  if (missing === undefined) return
  throw new ApiError(
    400,
    'range-not-stored',
    `Heights from ${missing.from} on are not stored: only stored heights can be derived again.`,
    {
      field: missing.from === from ? 'from_height' : 'to_height',
    },
  )
}

/** The workers that ask take what is due next; a notification wakes them. */
async function askAgain(pool: pg.Pool, tokens: readonly string[]): Promise<readonly string[]> {
  const { rows } = await query<{ token: string }>(
    pool,
    `
    with fungible as (
      update app.ft_token_metadata set next_ask_at = now() where token = any ($1) returning token
    ), collections as (
      update app.nft_collection_metadata set next_ask_at = now() where token = any ($1) returning token
    )
    select token from fungible union select token from collections order by token`,
    [tokens],
  )
  if (rows.length > 0) await announceFarmWork(pool)
  return rows.map(({ token }) => token)
}
