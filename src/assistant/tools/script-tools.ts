import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type {
  NameAnswer,
  NamePlace,
  ScriptAnswer,
  ScriptAnswers,
  ScriptRequest,
} from '../../flow/cadence/read-script.ts'
import type { ScriptParser } from '../../flow/cadence/script-parser.ts'
import type { Network } from '../../flow/network.ts'
import { ApiError } from '../../platform/errors.ts'
import { readingClosedWorld, registerTool, toolResult } from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'

export interface ScriptToolParts {
  readonly parser: ScriptParser
  readonly network: () => Network
  readonly context: CallContext
}

const maxCodeBytes = 100 * 1024
const tooLong = `must have at most ${maxCodeBytes} bytes`

const codeField = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .refine((code) => Buffer.byteLength(code) <= maxCodeBytes, tooLong)
  .describe('Cadence source: a script, a transaction or a contract.')
const lineField = z.int('must be a whole number').positive('must be 1 or more').nullish()

const codeSchema = z.strictObject({ code: codeField })
const nameSchema = z.strictObject({
  code: codeField,
  name: z
    .string('must be a string')
    .regex(/^\w{1,200}$/, 'must be a name')
    .nullish()
    .describe('Name to look up, such as balance: its first use, on `line` if given. Instead of a column.'),
  line: lineField.describe('Line number, from 1.'),
  column: lineField.describe('Column in characters, from 1. Instead of a name.'),
})

export function registerScriptTools(server: McpServer, { parser, network, context }: ScriptToolParts): void {
  registerTool(server, context, {
    name: 'script_check',
    title: 'Check Cadence',
    schema: codeSchema,
    annotations: readingClosedWorld,
    description:
      'Checks the syntax of Cadence 1.0. Returns errors with line, column and source line, and warnings about code ' +
      'that nodes refuse (imports without an address, wrong core contract addresses, missing access modifiers). ' +
      'Types are not checked. Use it before run_chain_script.',
    run: async ({ code }, signal) =>
      toolResult(answerOf(await parser.read({ kind: 'check', code, network: network() }, signal), 'check')),
  })
  registerTool(server, context, {
    name: 'script_symbols',
    title: 'List the declarations of Cadence',
    schema: codeSchema,
    annotations: readingClosedWorld,
    description:
      'Lists the declarations of a Cadence source: kind, name, access, signature and lines of contracts, ' +
      'resources, functions, fields and events.',
    run: async ({ code }, signal) =>
      toolResult(answerOf(await parser.read({ kind: 'symbols', code }, signal), 'symbols')),
  })
  const readName = async (input: z.output<typeof nameSchema>, signal: AbortSignal): Promise<NameAnswer> =>
    answerOf(await parser.read(nameRequest(input, network()), signal), 'name')
  registerTool(server, context, {
    name: 'script_hover',
    title: 'Explain a name in Cadence',
    schema: nameSchema,
    annotations: readingClosedWorld,
    description:
      'Explains a name in a Cadence source: its declaration, the core contract it is imported from, or its ' +
      'meaning in the language.',
    run: async (input, signal) => toolResult(await readName(input, signal)),
  })
  registerTool(server, context, {
    name: 'script_definition',
    title: 'Find the declaration of a name in Cadence',
    schema: nameSchema,
    annotations: readingClosedWorld,
    description:
      'Finds the declaration of a name in a Cadence source: line, column, signature. For a member of an ' +
      'imported contract: the import.',
    run: async (input, signal) => {
      const { name, meaning, declared } = await readName(input, signal)
      if (declared === null)
        throw new ApiError(404, 'not-declared-here', `${name} is not declared in this source. ${meaning}`)
      return toolResult(declared)
    },
  })
}

/** @throws ApiError 400 `no-place` */
function nameRequest({ code, name, line, column }: z.output<typeof nameSchema>, network: Network): ScriptRequest {
  if ((name ?? undefined) === undefined && ((line ?? undefined) === undefined || (column ?? undefined) === undefined)) {
    throw new ApiError(400, 'no-place', 'No position given. Pass a name, or a line and a column.', { field: 'name' })
  }
  const at: NamePlace = { name: name ?? undefined, line: line ?? undefined, column: column ?? undefined }
  return { kind: 'name', code, at, network }
}

/** @throws ApiError 404 `no-name-there` */
function answerOf<Kind extends keyof ScriptAnswers>(result: ScriptAnswer, kind: Kind): ScriptAnswers[Kind] {
  if (result.kind === 'nothing') throw new ApiError(404, 'no-name-there', result.reason)
  if (result.kind !== kind) throw new TypeError(`the parser returned ${result.kind} for ${kind}`)
  return result.answer as ScriptAnswers[Kind]
}
