import type pg from 'pg'
import { makeOwner, subscribe } from '../../webhooks/support/hook-world.ts'
import { startReceiver } from '../../webhooks/support/receiver.ts'
import type { Received, Receiver } from '../../webhooks/support/receiver.ts'
import type { EventType } from '../../../src/webhooks/events.ts'
import type { Findings } from '../report/findings.ts'

/** Subscribed events, by the path that receives them. */
const subscriptions: Readonly<Record<string, readonly EventType[]>> = {
  '/blocks': ['block.sealed'],
  '/transactions': ['transaction.sealed'],
  '/transfers': ['ft.transfer'],
}

/** A webhook receiver. Accepts each id once, unless set to reject. */
export class WebhookListener {
  readonly #receiver: Receiver
  readonly #ids: ReadonlyMap<string, number>
  #isRefusing = false
  #refused = 0

  private constructor(receiver: Receiver, ids: ReadonlyMap<string, number>) {
    this.#receiver = receiver
    this.#ids = ids
  }

  /** Subscribes to everything from height 0. */
  static async start(pool: pg.Pool): Promise<WebhookListener> {
    const secrets = new Map<string, string>()
    let listener: WebhookListener | undefined
    const receiver = await startReceiver({
      secrets,
      answer: (_received, response) => {
        if (listener?.answersNow() === false) response.writeHead(503).end()
        else response.writeHead(204).end()
      },
    })
    const owner = await makeOwner({ pool })
    const ids = new Map<string, number>()
    for (const [path, eventTypes] of Object.entries(subscriptions)) {
      const { id, secret } = await subscribe({ pool }, owner, `${receiver.url}${path}`, {
        eventTypes: [...eventTypes],
        fromHeight: 0,
      })
      secrets.set(path, secret)
      ids.set(path, id)
    }
    return (listener = new WebhookListener(receiver, ids))
  }

  get received(): number {
    return this.#receiver.received.length
  }

  get refused(): number {
    return this.#refused
  }

  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing
  }

  answersNow(): boolean {
    if (this.#isRefusing) this.#refused++
    return !this.#isRefusing
  }

  /** Whether all deliveries up to a height were sent. */
  async isDone(pool: pg.Pool, height: number): Promise<boolean> {
    const {
      rows: [row],
    } = await pool.query<{ behind: number; pending: number }>(
      `select (select count(*)::int from app.webhook_subscriptions where next_height <= $1) as behind,
         (select count(*)::int from (select from app.webhook_deliveries where status = 'pending' limit 1) p) as pending`,
      [height],
    )
    return row?.behind === 0 && row.pending === 0
  }

  /**
   * Compares deliveries with stored data. @param wasClockStepped allows signatures with a wrong
   * time
   */
  async check(
    pool: pg.Pool,
    findings: Findings,
    { wasClockStepped }: { readonly wasClockStepped: boolean },
  ): Promise<void> {
    const complain = (text: string): void => findings.add('webhooks', text)
    const problems = this.#receiver.problems.filter((problem) => !(wasClockStepped && problem === 'too old'))
    if (problems.length > 0) complain(`${problems.length} messages had invalid signatures: ${problems[0]}`)
    const { rows: dead } = await pool.query(
      "select subscription_id, sequence from app.webhook_deliveries where status = 'dead' limit 3",
    )
    if (dead.length > 0) complain(`deliveries failed permanently: ${JSON.stringify(dead)}`)
    for (const [id, same] of Map.groupBy(this.#receiver.received, (one) => one.id)) {
      if (new Set(same.map(({ body }) => JSON.stringify(body))).size > 1)
        complain(`${id} was sent again with another body`)
    }
    for (const [path, id] of this.#ids) {
      const first = firstOfEach(this.#receiver.received.filter((one) => one.path === path))
      const sequences = first.map(({ id: name }) => Number(name.split('_')[2]))
      const wrong = sequences.findIndex((sequence, i) => sequence !== i + 1)
      if (wrong >= 0) complain(`${path}: after message ${wrong} of subscription ${id} came message ${sequences[wrong]}`)
      const left = remaining(first).map(({ body }) => body)
      const reported = left.map(
        path === '/transfers'
          ? ({ event_id }) => event_id.split(':').slice(1, 5).join(' ')
          : ({ data, block_height: at }) => `${at} ${String(data['id'] ?? data['transaction_id'])}`,
      )
      compare(path, reported, await stored(pool, path), complain)
    }
  }

  async stop(): Promise<void> {
    await this.#receiver.stop()
  }
}

/** Deliveries that remain after each rollback has removed those it names. */
function remaining(received: readonly Received[]): Received[] {
  const left: Received[] = []
  for (const one of received) {
    if (one.body.type !== 'chain.rollback') left.push(one)
    else while ((left.at(-1)?.body.block_height ?? -1) >= Number(one.body.data['from_height'])) left.pop()
  }
  return left
}

function firstOfEach(received: readonly Received[]): Received[] {
  const first = new Map<string, Received>()
  for (const one of received) if (!first.has(one.id)) first.set(one.id, one)
  return [...first.values()]
}

async function stored(pool: pg.Pool, path: string): Promise<string[]> {
  const statements: Readonly<Record<string, string>> = {
    '/blocks': `select height || ' ' || encode(id, 'hex') as line from raw.blocks order by height`,
    '/transactions': `select block_height || ' ' || encode(id, 'hex') as line from raw.transactions where payer_address is not null order by block_height, tx_index`,
    '/transfers': `select concat_ws(' ', block_height, tx_index, event_index, leg) as line from app.ft_transfers where transfer_type <> 'fee'
      order by block_height, tx_index, event_index, leg`,
  }
  const { rows } = await pool.query<{ line: string }>(statements[path] ?? '')
  return rows.map(({ line }) => line)
}

function compare(
  path: string,
  delivered: readonly string[],
  there: readonly string[],
  complain: (text: string) => void,
): void {
  const [wasDelivered, isThere] = [new Set(delivered), new Set(there)]
  const lost = there.filter((line) => !wasDelivered.has(line))
  const wrong = delivered.filter((line) => !isThere.has(line))
  if (lost.length > 0) complain(`${path}: ${lost.length} of ${there.length} were not delivered, first ${lost[0]}`)
  if (wrong.length > 0) complain(`${path}: ${wrong.length} were for missing events, first ${wrong[0]}`)
  if (delivered.length !== wasDelivered.size)
    complain(`${path}: ${delivered.length - wasDelivered.size} were delivered twice under different ids`)
  if (lost.length + wrong.length === 0 && delivered.join() !== there.join())
    complain(`${path}: delivered out of chain order`)
}
