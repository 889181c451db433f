import { parseArgs } from 'node:util'
import { z } from 'zod'
import { asError, FatalError } from '../../base/errors.ts'
import { faultSchema } from '../node/fault-schema.ts'
import type { Fault } from '../node/fault.ts'
import type { ReplayNodeOptions } from './replay-node.ts'

export const replayHelp = `Serves a folder of recorded calls as a Flow access node (gRPC without TLS).

  npm run replay -- <folder> [options]
  npm run replay -- test/recordings/base --loop --interval 800     a chain that goes on for ever

  --port <port>          to listen on (default 3569; 0 picks a free one)
  --host <address>       to listen on (default 127.0.0.1)
  --head <height>        the latest block at first (default: the last recorded)
  --interval <ms>        one more block every so often
  --loop                 begin again after the last recorded block, with fresh ids, without end
  --branch <name>        version of the chain, from calls-<name>.jsonl.gz (default: the first)
  --start-height <n>     height of the first recorded block after the root (default: as recorded)
  --spork-root <n>       serve nothing below this height
  --real-time            block times at a steady pace, with the head at the present time
  --latency <ms>         answer every call so much later
  --fault <json>         something to do wrong; repeatable. src/simnode/node/fault.ts lists
                         the kinds: '{"kind":"status","code":"UNAVAILABLE","times":3}'
  --control-port <port>  HTTP on 127.0.0.1: GET /status, POST /head {"height":n} or
                         {"advance":n}, POST /branch {"name":"b","head":n}, POST /fault {…},
                         DELETE /faults, POST /drop
  --rate                 print the calls per second every five seconds
  --help                 this text
`

/** Block time without an interval, close to that of the main network. */
const defaultSpacingMs = 800

export interface ReplayCommand {
  readonly node: ReplayNodeOptions & { readonly recording: string }
  readonly controlPort: number | undefined
  readonly showsRate: boolean
}

/**
 * Reads the arguments of `scripts/replay.ts`.
 * @param now the present, for `--real-time`
 * @returns `help` when help was asked for
 * @throws FatalError that says which argument is wrong
 */
export function readCommandLine(args: readonly string[], now: Date): ReplayCommand | 'help' {
  const { values, positionals } = parse(args)
  if (values.help === true) return 'help'
  const [folder, ...more] = positionals
  if (folder === undefined) throw wrong('Name the folder of the recording; --help shows the options')
  if (more.length > 0) throw wrong(`One folder at a time: what is ${more.join(' ')}?`)
  const head = wholeNumber('--head', values.head)
  const intervalMs = wholeNumber('--interval', values.interval, { min: 1 })
  const startHeight = wholeNumber('--start-height', values['start-height'])
  const sporkRootHeight = wholeNumber('--spork-root', values['spork-root'])
  const latencyMs = wholeNumber('--latency', values.latency)
  if (values['real-time'] === true && head === undefined) {
    throw wrong('--real-time needs --head: the height whose time is now')
  }
  return {
    node: {
      recording: folder,
      port: wholeNumber('--port', values.port, { max: 65_535 }) ?? 3569,
      host: values.host ?? '127.0.0.1',
      loop: values.loop ?? false,
      ...(head === undefined ? {} : { head }),
      ...(intervalMs === undefined ? {} : { intervalMs }),
      ...(startHeight === undefined ? {} : { startHeight }),
      ...(sporkRootHeight === undefined ? {} : { sporkRootHeight }),
      ...(values.branch === undefined ? {} : { version: values.branch }),
      ...(values['real-time'] === true && head !== undefined
        ? { clock: { height: head, time: now, spacingMs: intervalMs ?? defaultSpacingMs } }
        : {}),
      faults: [
        ...(latencyMs === undefined ? [] : [{ kind: 'latency', ms: latencyMs } as const]),
        ...(values.fault ?? []).map(faultOf),
      ],
    },
    controlPort: wholeNumber('--control-port', values['control-port'], { max: 65_535 }),
    showsRate: values.rate ?? false,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'port': { type: 'string' }, 'host': { type: 'string' }, 'head': { type: 'string' },
        'interval': { type: 'string' }, 'loop': { type: 'boolean' }, 'branch': { type: 'string' },
        'start-height': { type: 'string' }, 'spork-root': { type: 'string' }, 'real-time': { type: 'boolean' },
        'latency': { type: 'string' }, 'fault': { type: 'string', multiple: true },
        'control-port': { type: 'string' }, 'rate': { type: 'boolean' }, 'help': { type: 'boolean', short: 'h' },
      },
    })
  } catch (thrown) {
    // Of Node's words the first sentence is enough; the rest is about names of files that begin with a dash.
    throw wrong(`${asError(thrown).message.split('. ')[0]}; --help shows the options`)
  }
}

function wholeNumber(
  name: string, text: string | undefined, { min = 0, max = Number.MAX_SAFE_INTEGER } = {},
): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  const upTo = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`
  throw wrong(`${name} takes a whole number ${upTo}, not '${text}'`)
}

function faultOf(text: string): Fault {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw wrong(`--fault takes JSON, not '${text}': ${asError(thrown).message}`)
  }
  const parsed = faultSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw wrong(`--fault ${text}: ${z.prettifyError(parsed.error)}`)
}

function wrong(message: string): FatalError {
  return new FatalError('bad-argument', message)
}
