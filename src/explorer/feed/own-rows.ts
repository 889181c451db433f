import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { ApiError, asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import { pause } from '../../platform/retry.ts'
import { WakeUp } from '../../platform/signals.ts'
import { parseFilters, parameterOf } from '../own/filters.ts'
import { findTable, findWorker, isReplaced, readWorkers } from '../own/tables.ts'
import type { ServedTable, ServedWorker } from '../own/tables.ts'
import { readRowsOfHeights } from '../own/rows-of-heights.ts'
import type { HeightRow } from '../own/rows-of-heights.ts'
import type { ClientMessage, ClientMessageError, SubscriptionId } from './client-message.ts'
import { forkOf, markOf, messageFrame, messageText } from './feed-block.ts'
import type { Mark } from './feed-block.ts'
import { textFrame } from './feed-clients.ts'
import type { ReplayBudget } from './replay-budget.ts'
import { answer, maxSubscriptions, refuse } from './subscriptions.ts'
import type { LiveClient } from './subscriptions.ts'

export interface OwnRowsOptions {
  readonly database: DatabasePool
  readonly log: Logger
  readonly signal: AbortSignal
  readonly budget: ReplayBudget
  /** Heights below the highest derived one. */
  readonly maxReplay: number
  readonly maxReorgDepth: number
  readonly maxBufferedBytes: () => number
  readonly onTooFarBehind: (client: LiveClient, next: number) => void
  readonly onSent: (messages: number) => void
}

type SubscribeMessage = ClientMessage & { readonly type: 'subscribe_table' }

interface OwnSubscription {
  readonly client: LiveClient
  readonly id: SubscriptionId
  readonly table: string
  readonly filters: ReadonlyMap<string, string>
  place: Mark
  /** Blocks before `place`, ascending: a rollback is found by comparing them. */
  marks: readonly { readonly height: number; readonly id: string }[]
  /** Below the heights that were derived when it subscribed. */
  isReplaying: boolean
  /** Number of the last message with a `seq`. */
  told: number
}

/** Notifications may be lost. */
const pollMs = 5000
/** A read of a replay costs as much as one block. */
const heightsAtOnce = 1000
const maxMarks = 20
/** A `seq` after all rows of its height. */
const afterAll = 999_999_999

/**
 * Rows of own tables. Each subscription has a place, and receives whole heights in order as soon as
 * their rows are derived without a gap. Subscriptions at the same place share their reads.
 *
 *     idle ──rows announced──► read ──nothing new──► idle
 */
export class OwnRows {
  readonly #options: OwnRowsOptions
  readonly #subscriptions = new Map<LiveClient, Map<SubscriptionId, OwnSubscription>>()
  readonly #wakeUp = new WakeUp()
  readonly #failures = new LogThrottle()
  #running: Promise<void> | undefined

  constructor(options: OwnRowsOptions) {
    this.#options = options
  }

  /** New rows, removed rows, or a lost connection. */
  wake(): void {
    this.#wakeUp.call()
  }

  /** Resolves when it has stopped, after its signal. */
  async idle(): Promise<void> {
    this.wake()
    await this.#running
  }

  countOf(client: LiveClient): number {
    return this.#subscriptions.get(client)?.size ?? 0
  }

  remove(client: LiveClient): void {
    this.#subscriptions.delete(client)
  }

  unsubscribe(client: LiveClient, id: SubscriptionId): boolean {
    const own = this.#subscriptions.get(client)
    const isKnown = own?.delete(id) === true
    if (own?.size === 0) this.#subscriptions.delete(client)
    return isKnown
  }

  /** Never rejects. */
  async subscribe(client: LiveClient, message: SubscribeMessage): Promise<void> {
    try {
      const mistake = await this.#subscribe(client, message)
      if (mistake !== undefined) refuse(client, { ...mistake, id: message.id })
    } catch (error) {
      this.#report(error)
      const text = 'the tables cannot be read now: try again'
      refuse(client, { code: 'try_again', field: undefined, message: text, id: message.id })
    }
  }

  /** For quiet subscriptions. */
  publishPositions(): void {
    for (const each of this.#all()) {
      const mark = each.marks.at(-1)
      if (each.told === each.place.height || mark === undefined || mark.height + 1 !== each.place.height) continue
      const payload = { id: each.id, next_height: each.place.height }
      const seq = markOf(mark.height, afterAll, mark.id)
      each.client.connection.write(messageFrame(each.client.form, 'position', payload, seq))
      each.told = each.place.height
    }
  }

  *#all(): Generator<OwnSubscription> {
    for (const own of this.#subscriptions.values()) yield* own.values()
  }

  async #subscribe(client: LiveClient, message: SubscribeMessage): Promise<ClientMessageError | undefined> {
    const { budget, maxReplay, database } = this.#options
    const { id, table: label, place: wanted } = message
    const field = wanted?.had === undefined ? 'from' : 'after'
    const table = servedTable(await readWorkers(database), label)
    if ('code' in table) return table
    const filters = filtersOf(table, message.filter)
    if ('code' in filters) return filters
    const count = client.subscriptions.size + this.countOf(client)
    if (count >= maxSubscriptions && this.#subscriptions.get(client)?.has(id) !== true) {
      const text = `limit of ${maxSubscriptions} subscriptions per connection: unsubscribe first`
      return { code: 'too_many_subscriptions', field: 'id', message: text }
    }
    const { highest: end } = await readState(database, table.worker, 0, [])
    const place = wanted ?? { height: end, had: undefined }
    if (place.height < end - maxReplay) {
      const text = `the feed starts at height ${end - maxReplay}: read older rows from /own/${label.replace('.', '/')}`
      return { code: 'too_old', field, message: text }
    }
    if (place.height > end + this.#options.maxReorgDepth) {
      return { code: 'too_new', field, message: `the next height is ${end}: subscribe from there or omit ${field}` }
    }
    const retryAfter = place.height < end ? budget.waitOf(client, Math.ceil((end - place.height) / heightsAtOnce)) : 0
    if (retryAfter > 0) {
      const text = `the replay budget is used up: retry in ${retryAfter} s`
      return { code: 'replay_limit', field, message: text, retryAfter }
    }
    if (!client.connection.isOpen) return undefined
    const own = this.#subscriptions.get(client) ?? new Map<SubscriptionId, OwnSubscription>()
    const isReplaying = place.height < end
    own.set(id, { client, id, table: label, filters, place, marks: [], isReplaying, told: place.height })
    this.#subscriptions.set(client, own)
    client.form = (message.isBatch ?? client.form === 'batch') ? 'batch' : 'marked'
    answer(client, 'subscribed', { id, next_height: place.height, batch: client.form === 'batch' })
    this.#start()
    this.wake()
    return undefined
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#subscriptions.size > 0 && !this.#options.signal.aborted) this.#start()
    })
  }

  async #run(): Promise<void> {
    const { signal } = this.#options
    while (!signal.aborted && this.#subscriptions.size > 0) {
      await this.#wakeUp.sleep(pollMs, signal)
      try {
        while (!signal.aborted && (await this.#round()));
      } catch (error) {
        this.#report(error)
        await pause(100, signal).catch(() => undefined)
      }
    }
  }

  #report(error: unknown): void {
    if (isReplaced(error)) return
    const { log } = this.#options
    this.#failures.log(log, 'warn', { err: asError(error) }, 'Could not read own tables for the live feed. Retrying.')
  }

  /** @returns whether there may be more */
  async #round(): Promise<boolean> {
    const workers = await readWorkers(this.#options.database)
    const groups = Map.groupBy(
      [...this.#all()].filter((each) => this.#canSend(each)),
      ({ table, place }) => `${table} ${place.height}`,
    )
    let hasMoved = false
    for (const group of groups.values()) {
      const [first] = group
      if (first === undefined) continue
      const table = servedTable(workers, first.table)
      if ('code' in table) this.#end(group, table)
      else hasMoved = (await this.#advance(table, first.place.height, group)) || hasMoved
    }
    return hasMoved
  }

  #end(group: readonly OwnSubscription[], mistake: ClientMessageError): void {
    for (const { client, id } of group) {
      this.unsubscribe(client, id)
      refuse(client, { ...mistake, id })
    }
  }

  /** A slow client waits until it has read what was sent. */
  #canSend({ client, isReplaying }: OwnSubscription): boolean {
    const { connection } = client
    if (connection.waitingBytes > this.#options.maxBufferedBytes()) {
      void connection.drained().then(() => this.wake())
      return false
    }
    const seconds = isReplaying ? this.#options.budget.spend(client, 1) : 0
    if (seconds > 0) setTimeout(() => this.wake(), seconds * 1000).unref()
    return seconds === 0
  }

  /** @returns whether a subscription moved */
  async #advance(table: ServedTable, from: number, group: readonly OwnSubscription[]): Promise<boolean> {
    const { database, maxReplay, onTooFarBehind } = this.#options
    const known = [...new Set([from, ...group.flatMap(({ marks }) => marks.map(({ height }) => height))])]
    const state = await readState(database, table.worker, from, known)
    const current = group.filter((each) => this.#isCurrent(each, from) && !this.#rollBack(each, state.ids))
    const hasRolledBack = current.length < group.length
    if (state.to <= from || current.length === 0) return hasRolledBack
    if (state.highest - from > maxReplay) {
      for (const { client } of current) onTooFarBehind(client, from)
      return hasRolledBack
    }
    const { rows, to, isTruncated } = await readRowsOfHeights(database, table, { from, to: state.to })
    const last = to === state.to ? { height: to - 1, id: state.lastId } : rows.at(-1)
    for (const each of current) {
      if (!this.#isCurrent(each, from)) continue
      this.#send(each, rows)
      if (isTruncated) this.#sendTruncation(each, from, rows)
      each.place = { height: to, had: undefined }
      if (last?.id !== undefined) each.marks = [...each.marks, { height: last.height, id: last.id }].slice(-maxMarks)
      each.isReplaying &&= to < state.highest
    }
    return true
  }

  #isCurrent({ client, id, place }: OwnSubscription, from: number): boolean {
    return place.height === from && this.#subscriptions.get(client)?.get(id)?.place === place
  }

  /** @returns whether blocks that the client has were removed */
  #rollBack(each: OwnSubscription, ids: ReadonlyMap<number, string>): boolean {
    const { maxReorgDepth } = this.#options
    const { place, marks } = each
    const valid = marks.filter(({ height, id }) => ids.get(height) === id)
    const id = ids.get(place.height)
    const isForked = place.had !== undefined && (id === undefined || forkOf(id) !== place.had.fork)
    if (!isForked && valid.length === marks.length) return false
    const lowest = Math.max(0, place.height - maxReorgDepth)
    const from = Math.min(place.height, (valid.at(-1)?.height ?? lowest - 1) + 1)
    each.marks = valid
    each.place = { height: from, had: undefined }
    each.told = from
    const payload = { id: each.id, from_height: from }
    each.client.connection.write(messageFrame(each.client.form, 'rollback', payload, String(from)))
    return true
  }

  #sendTruncation({ client, id, table }: OwnSubscription, height: number, rows: readonly HeightRow[]): void {
    const path = `/own/${table.replace('.', '/')}?from_height=${height}&to_height=${height}&order=asc`
    const message = `truncated after ${rows.length} rows of height ${height}: read the rest by REST at ${path}`
    const payload = { id, table, block_height: height, rows: rows.length, path, message }
    const seq = markOf(height, afterAll, rows.at(-1)?.id ?? '')
    client.connection.write(messageFrame(client.form, 'truncated', payload, seq))
  }

  #send(each: OwnSubscription, rows: readonly HeightRow[]): void {
    const { client, id, table, place } = each
    const texts = rows
      .filter(({ height, number }) => height !== place.height || number > (place.had?.number ?? -1))
      .filter(({ row }) => [...each.filters].every(([name, value]) => canonical(row[name]) === value))
      .map(({ row, ...of }) => {
        each.told = of.height + 1
        return messageText('own_row', { id, table, row }, markOf(of.height, of.number, of.id))
      })
    if (texts.length === 0) return
    if (client.form === 'batch') client.connection.write(textFrame(`[${texts.join(',')}]`))
    else for (const text of texts) client.connection.writeText(text)
    this.#options.onSent(texts.length)
  }
}

function servedTable(workers: readonly ServedWorker[], label: string): ServedTable | ClientMessageError {
  const [worker = '', name = ''] = label.split('.')
  try {
    const table = findTable(findWorker(workers, worker), name)
    if (table.kind === 'events') return table
    const message =
      table.of === null ? 'is a view: subscribe to a table' : `is a fold: subscribe to ${worker}.${table.of}`
    return { code: 'unknown_table', field: 'table', message }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: 'unknown_table', field: 'table', message: error.message }
  }
}

/** Values in canonical form by column. */
function filtersOf(
  table: ServedTable,
  filter: Readonly<Record<string, string | number | boolean>>,
): Map<string, string> | ClientMessageError {
  const columns = Object.entries(filter)
  const query = new URLSearchParams(
    columns.map(([name, value]): [string, string] => [parameterOf({ name }), String(value)]),
  )
  try {
    return new Map(parseFilters(table, query).map(({ column, value }) => [column.name, canonical(value)]))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: 'bad_message', field: `filter.${error.field ?? ''}`, message: error.message }
  }
}

/** 012.50 and 12.5 are the same number. */
function canonical(value: unknown): string {
  const text = String(value)
  const [, sign = '', whole = '', fraction = ''] = /^(-?)0*(\d+)(\.\d*)?$/.exec(text) ?? []
  if (whole === '') return text
  const rest = fraction.replace(/\.?0*$/, '')
  return whole === '0' && rest === '' ? '0' : `${sign}${whole}${rest}`
}

const stateRow = z.object({
  to: z.number().nullable(),
  highest: z.number().nullable(),
  ids: z.record(z.string(), z.string()),
})

interface DerivedState {
  /** Derived without a gap from the given height to here, exclusive; at most `heightsAtOnce`. */
  readonly to: number
  /** After the highest derived height. */
  readonly highest: number
  readonly ids: ReadonlyMap<number, string>
  /** Id of the block before `to`. */
  readonly lastId: string | undefined
}

/** Read before the rows: a rollback in between is found at the next read. */
async function readState(
  database: DatabasePool,
  worker: string,
  from: number,
  known: readonly number[],
): Promise<DerivedState> {
  const row = await database.one(sql.type(stateRow)`
    with stored as (
      select range_agg(covered) as heights from app.coverage where service_name in ('main_ingester', 'history_ingester')
    ), lost as (
      select range_agg(int8range(block_height, block_height + 1)) as heights from raw.unavailable where part = 'block'
    ), ready as (
      select (c.covered + coalesce(lost.heights, '{}') + int8multirange(int8range(0, w.start_height))) * stored.heights
        as heights
      from app.own_workers w join app.coverage c on c.service_name = w.name cross join stored cross join lost
      where w.name = ${worker}
    ), span as (
      select (
        select least(upper(range), ${from + heightsAtOnce}) from unnest(heights) as range where range @> ${from}::int8
      ) as to, upper(heights) as highest from ready
    )
    select (select "to" from span) as to, (select highest from span) as highest, (
      select coalesce(jsonb_object_agg(height::text, encode(id, 'hex')), '{}') from raw.blocks
      where height = any (${sql.array([...known], 'int8')} || (select "to" - 1 from span))
    ) as ids
  `)
  const ids = new Map(Object.entries(row.ids).map(([height, id]) => [Number(height), id]))
  const to = row.to ?? from
  return { to, highest: row.highest ?? 0, ids, lastId: ids.get(to - 1) }
}
