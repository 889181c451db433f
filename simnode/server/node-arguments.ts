import { z } from 'zod'
import { asError, FatalError } from '../../src/platform/errors.ts'
import type { AccessNodeOptions } from './access-node.ts'
import { faultSchema } from '../node/faults.ts'
import type { Fault } from '../node/faults.ts'

export const nodeArguments = {
  port: { type: 'string' },
  host: { type: 'string' },
  head: { type: 'string' },
  interval: { type: 'string' },
  'spork-root': { type: 'string' },
  latency: { type: 'string' },
  fault: { type: 'string', multiple: true },
  'control-port': { type: 'string' },
  'rest-port': { type: 'string' },
  rate: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export const nodeArgumentsHelp = `  --port <port>          to listen on (default 3569; 0 picks a free one)
  --host <address>       to listen on (default 127.0.0.1)
  --rest-port <port>     answer by REST too, as a browser asks (default: not; 0 picks a free one)
  --spork-root <n>       serve nothing below this height
  --latency <ms>         answer every call so much later
  --fault <json>         something to do wrong; repeatable. simnode/node/faults.ts lists
                         the kinds: '{"kind":"status","code":"UNAVAILABLE","times":3}'
  --control-port <port>  HTTP on 127.0.0.1: GET /status, POST /head {"height":n} or
                         {"advance":n}, POST /branch {"name":"b","head":n}, POST /fault {…},
                         DELETE /faults, POST /drop
  --rate                 print the calls per second every five seconds
  --help                 this text
`

interface NodeArgumentValues {
  readonly port?: string | undefined
  readonly host?: string | undefined
  readonly head?: string | undefined
  readonly interval?: string | undefined
  readonly 'spork-root'?: string | undefined
  readonly latency?: string | undefined
  readonly fault?: string[] | undefined
  readonly 'control-port'?: string | undefined
  readonly 'rest-port'?: string | undefined
  readonly rate?: boolean | undefined
}

export interface NodeCommand<Options extends AccessNodeOptions = AccessNodeOptions> {
  readonly node: Options
  readonly controlPort: number | undefined
  readonly showsRate: boolean
}

/** @throws FatalError that names the wrong argument */
export function readNodeArguments(values: NodeArgumentValues): NodeCommand {
  const head = wholeNumber('--head', values.head)
  const intervalMs = wholeNumber('--interval', values.interval, { min: 1 })
  const sporkRootHeight = wholeNumber('--spork-root', values['spork-root'])
  const latencyMs = wholeNumber('--latency', values.latency)
  const restPort = wholeNumber('--rest-port', values['rest-port'], { max: 65_535 })
  return {
    node: {
      port: wholeNumber('--port', values.port, { max: 65_535 }) ?? 3569,
      host: values.host ?? '127.0.0.1',
      ...(restPort === undefined ? {} : { hasRest: true, restPort }),
      ...(head === undefined ? {} : { head }),
      ...(intervalMs === undefined ? {} : { intervalMs }),
      ...(sporkRootHeight === undefined ? {} : { sporkRootHeight }),
      faults: [
        ...(latencyMs === undefined ? [] : [{ kind: 'latency', ms: latencyMs } as const]),
        ...(values.fault ?? []).map(faultOf),
      ],
    },
    controlPort: wholeNumber('--control-port', values['control-port'], { max: 65_535 }),
    showsRate: values.rate ?? false,
  }
}

/** @throws FatalError for other text, or a number outside the limits */
export function wholeNumber(
  name: string,
  text: string | undefined,
  { min = 0, max = Number.MAX_SAFE_INTEGER } = {},
): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  const upTo = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`
  throw wrongArgument(`${name} takes an integer ${upTo}, not '${text}'`)
}

export function wrongArgument(message: string): FatalError {
  return new FatalError('bad-argument', message)
}

export function readArguments<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse()
  } catch (thrown) {
    // Node's further sentences are about file names.
    throw wrongArgument(`${asError(thrown).message.split('. ')[0]}; --help shows the options`)
  }
}

function faultOf(text: string): Fault {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw wrongArgument(`--fault takes JSON, not '${text}': ${asError(thrown).message}`)
  }
  const parsed = faultSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw wrongArgument(`--fault ${text}: ${z.prettifyError(parsed.error)}`)
}
